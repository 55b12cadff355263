import { expect, it } from "vitest";
import { choices } from "../src/models";

it("offers what answers and costs nothing first, and says what the others cost", () => {
  const models = choices({
    servers: [],
    keys: ["openai"],
    missing: [],
    models: ["ollama:qwen3:8b", "compatible:own", "builtin:quotes"],
    advice: [],
    offers: [
      { model: "ollama:qwen3:8b", reach: "answers", input_price: 0, output_price: 0 },
      { model: "compatible:own", reach: "answers", input_price: null, output_price: null },
      { model: "builtin:quotes", reach: "built_in", input_price: 0, output_price: 0 },
      { model: "openai:large", reach: "key", input_price: 2.5, output_price: 15 },
      { model: "openai:new", reach: "key", input_price: null, output_price: null },
    ],
  });
  expect(models.map((each) => each.value)).toEqual(["ollama:qwen3:8b", "compatible:own", "builtin:quotes", "openai:large", "openai:new", "a person"]);
  expect(models[0]!.about).toBe("connected; free");
  expect(models[1]!.about).toBe("connected; price unknown");
  expect(models[3]!.about).toBe("a key is set; $2.5 for a million tokens in, $15 out");
  expect(models[4]!.about).toBe("a key is set; price unknown");
});
