import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Path } from "@plumbline/storage-layout"
import { Result } from "effect"

const failure = (text: string) => Result.getOrThrow(Result.flip(Path.parse(text)))

describe("a path", () => {
  it("is a variable and the steps from there on", () => {
    const path = Result.getOrThrow(Path.parse(`vault.positions[3].owner`))
    assert.deepStrictEqual(path, {
      text: "vault.positions[3].owner",
      root: { _tag: "Variable", name: "vault", at: 0 },
      steps: [
        { _tag: "Member", name: "positions", at: 6 },
        { _tag: "Key", key: { _tag: "Number", value: 3n }, at: 16 },
        { _tag: "Member", name: "owner", at: 19 }
      ]
    })
  })

  it("has keys of five forms", () => {
    const key = (text: string) => {
      const [step] = Result.getOrThrow(Path.parse(`m[${text}]`)).steps
      return step?._tag === "Key" ? step.key : undefined
    }
    assert.deepStrictEqual(key("-12"), { _tag: "Number", value: -12n })
    assert.deepStrictEqual(key("0xAb"), { _tag: "Hex", digits: "0xAb" })
    assert.deepStrictEqual(key("0x"), { _tag: "Hex", digits: "0x" })
    assert.deepStrictEqual(key("true"), { _tag: "Name", name: "true" })
    assert.deepStrictEqual(key("Blue"), { _tag: "Name", name: "Blue" })
    assert.deepStrictEqual(key(`""`), { _tag: "Text", value: "" })
    assert.deepStrictEqual(key(`"a]b.c"`), { _tag: "Text", value: "a]b.c" })
    assert.deepStrictEqual(key(`"\\"\\\\\\u00e4\\n🚀"`), { _tag: "Text", value: `"\\ä\n🚀` })
  })

  it("may start with a namespace", () => {
    const { root } = Result.getOrThrow(Path.parse(`erc7201("example.main").x`))
    assert.deepStrictEqual(root, { _tag: "Namespace", id: "example.main", at: 8 })
    // a variable may have this name
    assert.strictEqual(Result.getOrThrow(Path.parse("erc7201.x")).root._tag, "Variable")
  })

  it("keeps names that objects have", () => {
    assert.strictEqual(Result.getOrThrow(Path.parse("a.__proto__.$x_1")).steps.length, 2)
  })

  it("that goes wrong says at which character", () => {
    const wrong: ReadonlyArray<readonly [string, number]> = [
      ["", 0],
      ["7a", 0],
      [" a", 0],
      ["a ", 1],
      ["a.", 2],
      ["a.7", 2],
      ["a..b", 2],
      ["a]", 1],
      ["a[", 2],
      ["a[]", 2],
      ["a[1", 3],
      ["a[1x]", 2],
      ["a[01]", 2],
      ["a[1 ]", 3],
      ["a[-]", 2],
      ["a[0xg]", 2],
      ["a[+1]", 2],
      [`a["b]`, 5],
      [`a["\\x41"]`, 3],
      [`a["\\u12"]`, 3],
      [`a["\\ud800"]`, 2],
      [`a["\t"]`, 3],
      ["a['b']", 2],
      ["ä", 0],
      ["erc7201(x)", 8],
      [`erc7201("x"`, 11]
    ]
    for (const [text, at] of wrong) {
      const error = failure(text)
      assert.strictEqual(error.reason, "Syntax", text)
      assert.strictEqual(error.at, at, `${text}: ${error.message}`)
    }
  })

  it("has a bound on its length", () => {
    assert.isTrue(Result.isSuccess(Path.parse("a".repeat(Path.MAX_LENGTH))))
    const error = failure("a".repeat(Path.MAX_LENGTH + 1))
    assert.strictEqual(error.at, Path.MAX_LENGTH)
    assert.isAtMost(error.path.length, Path.MAX_LENGTH)
  })

  it("is read or refused, never more: any text", () => {
    const random = Random.make(3)
    const parts = [
      "a",
      ".",
      "[",
      "]",
      `"`,
      "\\",
      "0x",
      "1",
      "-",
      "(",
      ")",
      "erc7201",
      "é",
      "\u{1F680}",
      "\ud800",
      " ",
      "$"
    ]
    for (let run = 0; run < Random.runs(3000); run++) {
      const text = Array.from({ length: Random.int(random, 12) }, () => Random.pick(random, parts)).join("")
      const path = Path.parse(text)
      if (Result.isFailure(path)) assert.isTrue(path.failure.at <= text.length, text)
      else assert.strictEqual(path.success.text, text)
    }
  })
})
