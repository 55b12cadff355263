"""Control tokens of chat templates: which texts are broken, which stay, and that a person still reads the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.control_tokens import JOINER, break_data, break_json, break_tokens
from folkmoot.core.text import clean

TOKENS = [
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|channel|>",
    "<|return|>",
    "<|endoftext|>",
    "<|turn>",
    "<turn|>",
    '<|"|>',
    "<｜User｜>",
    "<｜end▁of▁sentence｜>",
    "<｜tool▁calls▁begin｜>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<BOS_TOKEN>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<start_of_image>",
    "<unused7>",
    "<SPECIAL_12>",
    "<extra_id_0>",
    "<reserved_106>",
    "<fim_prefix>",
    "<file_sep>",
    "<image>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<seed:bos>",
    "<sop>",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[SYSTEM_PROMPT]",
    "[THINK]",
    "[IMG]",
    "[gMASK]",
    "[BOS]",
    "[EOT]",
    "[CALL_ID]",
    "[|assistant|]",
    "[|endofturn|]",
    "◁think▷",
    "◁/think▷",
    "]~b]",
    "]~!b[",
    "[e~[",
]

PLAIN = [
    "<div>",
    "</div>",
    "<h1>",
    "<ul>",
    "<header>",
    "<code>",
    "<text>",
    "<Message>",
    "</Message>",
    "<Verdict>",
    "<speaker>",
    "<my_field>",
    "<user_id>",
    "<system>",
    "List<String>",
    "Vec<u8>",
    "Map<K,V>",
    "vector<uint8_t>",
    "Promise<string|null>",
    "<T>",
    "<S>",
    "<Image>",
    "<video-player>",
    "x|>f",
    "<|>",
    "buf[SIZE]",
    "env[KEY]",
    "a[MAX_SIZE]",
    "[CFO]:",
    "[[YES]]",
    "[API](x)",
    "[A]",
    "[x]",
    "[1]",
    "[~]",
    "[^1]",
    "[A-Z]",
    "[lL]?",
    "<!--",
    "<?xml",
    "<<EOF",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("around", ["{}", "x{}y", "({}):", "[Ann]: {}", "<{}>", "[{}]", "arr{}", "{0}{0}", "\n  {}:"])
def test_a_token_is_broken_wherever_it_stands(token: str, around: str) -> None:
    text = around.format(token)
    broken = break_tokens(text)
    assert token not in broken
    assert clean(broken) == text
    assert break_tokens(broken) == broken


@pytest.mark.parametrize("text", PLAIN)
def test_code_markup_and_frames_stay_as_they_are(text: str) -> None:
    assert break_tokens(f"{text}\n{text}") == f"{text}\n{text}"


@given(st.text(alphabet="<>[]|｜/~◁▷!_: \n" + "sINTbeod" + JOINER, max_size=40))
def test_breaking_twice_changes_nothing_and_loses_nothing(text: str) -> None:
    broken = break_tokens(text)
    assert break_tokens(broken) == broken
    assert broken.replace(JOINER, "") == text.replace(JOINER, "")


def test_data_is_broken_at_any_depth_also_where_it_is_written_with_escapes() -> None:
    schema = {"properties": {"<s>": {"enum": ["</s>", 1, None]}}, "required": ("<s>",)}
    assert "<s>" not in str(break_data(schema))
    assert "</s>" not in str(break_data(schema))
    assert "<|im_end|>" not in break_json('{"a": ["\\u003c|im_end|\\u003e"]}').replace("\\u003c", "<")
    assert break_json('{"a":  1}') == '{"a":  1}'
    assert break_json("</s>") == break_tokens("</s>")
    assert break_json("[" * 100_000) == "[" * 100_000
