"""Makes a language model of random numbers for llama.cpp, a hundred kilobytes, that says random letters of ASCII.

It runs in the environment of llama.cpp.
"""

# pyright: basic, reportMissingImports=false

import sys

import gguf
import numpy

WIDTH, INNER, HEADS, CONTEXT = 32, 64, 2, 65_536
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def bytes_as_letters() -> list[str]:
    """A letter for each byte, as tokenizers that work on bytes write them."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def make(path: str) -> None:
    """Write the model; the same numbers each time."""
    tokens = [*bytes_as_letters(), "in", "<s>", "</s>"]
    writer = gguf.GGUFWriter(path, "llama")
    describe(writer, tokens)
    add_numbers(writer, len(tokens))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(writer: gguf.GGUFWriter, tokens: list[str]) -> None:
    """Write the sizes of the model, and its tokenizer."""
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([*[gguf.TokenType.NORMAL] * 257, *[gguf.TokenType.CONTROL] * 2])
    writer.add_token_merges(["i n"])
    writer.add_bos_token_id(257)
    writer.add_eos_token_id(258)
    writer.add_chat_template(TEMPLATE)


def add_numbers(writer: gguf.GGUFWriter, count: int) -> None:
    """Write the random numbers of a model with so many tokens."""
    random = numpy.random.default_rng(0)

    def add(name: str, *shape: int, spread: float = 0.02) -> None:
        writer.add_tensor(name, random.normal(0, spread, shape).astype(numpy.float32))

    def add_ones(name: str) -> None:
        writer.add_tensor(name, numpy.ones(WIDTH, numpy.float32))

    embedding = random.normal(0, 0.3, (count, WIDTH)).astype(numpy.float32)
    embedding[:, 0] = 3.0  # the same for every token, so that the next one can be made unlikely by its first number
    writer.add_tensor("token_embd.weight", embedding)
    output = random.normal(0, 0.02, (count, WIDTH)).astype(numpy.float32)
    output[:, 0] = [0.0 if byte in range(32, 127) else -6.0 for byte in range(256)] + [0.0, -6.0, 0.0]
    writer.add_tensor("output.weight", output)
    add_ones("output_norm.weight")
    for part in ("q", "k", "v", "output"):
        add(f"blk.0.attn_{part}.weight", WIDTH, WIDTH)
    for part, shape in (("gate", (INNER, WIDTH)), ("up", (INNER, WIDTH)), ("down", (WIDTH, INNER))):
        add(f"blk.0.ffn_{part}.weight", *shape)
    for part in ("attn", "ffn"):
        add_ones(f"blk.0.{part}_norm.weight")


make(sys.argv[1])
