/** The reasons for which a typed text, or an address of the page, is refused. */
import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, test } from "vitest"

import { TypedField } from "../src/parts/TypedField.tsx"
import { parse } from "../src/route/Place.ts"
import { recognise } from "../src/route/Recognise.ts"
import * as TypedText from "../src/route/TypedText.ts"

// from EIP-55
const GOOD = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const BAD = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

describe("an address with a wrong checksum", () => {
  test("is refused by the search, by links and by fields", () => {
    expect(recognise(GOOD, "live").place?._tag).toBe("Account")
    expect(recognise(BAD, "live")).toEqual({ says: "An address with a wrong checksum", place: undefined })
    for (const path of ["account/$", "storage/$", "proof/5/account/$/balance", "proof/5/slot/$/0x0"]) {
      const at = (address: string) => parse(`/console/live/${path.replace("$", address)}`, "")._tag
      expect(at(GOOD)).not.toBe("Unknown")
      expect(at(GOOD.toLowerCase())).not.toBe("Unknown")
      expect(at(BAD)).toBe("Unknown")
      expect(TypedText.pathProblem(`/live/${path.replace("$", BAD)}`)).toContain(`${BAD} has a wrong EIP-55 checksum`)
    }
    expect(TypedText.addressProblem(GOOD)).toBeUndefined()
    expect(TypedText.addressProblem(BAD)).toContain("wrong EIP-55 checksum")
  })
})

test.each([
  ["/ipfs/QmBad", "QmBad is not a CID."],
  ["/live/account/0x12", "0x12 is not an address. An address is 0x and 40 digits in hex."],
  ["/live/block/0x12", "0x12 is not a block. Name its hash, its number in decimal, or a tag."],
  ["/live/tx/17", "17 is not a hash. A hash is 0x and 64 digits in hex."],
  ["/webhooks/a%20b", "a b is not the name of a webhook."],
  ["/live/a/b/c/d", undefined],
  ["/ipfs/%E0%A4%A", "%E0%A4%A is not a CID."]
])("the panel of the page %s says why", (path, says) => {
  expect(parse(`/console${path}`, "")._tag).toBe("Unknown")
  expect(TypedText.pathProblem(path)).toBe(says)
})

test("a slot is a number below 2^256", () => {
  expect(TypedText.slotOf("0x1F")).toBe(`0x${"1f".padStart(64, "0")}`)
  expect(TypedText.slotOf(String(2n ** 256n - 1n))).toBe(`0x${"f".repeat(64)}`)
  for (const text of ["xyz", "", "0x", "-1", String(2n ** 256n)]) {
    expect(TypedText.slotOf(text)).toBeUndefined()
    expect(TypedText.wordProblem(text)).toContain("is not a number")
  }
  expect(TypedText.wordProblem("7")).toBeUndefined()
})

test("a refused field is marked as invalid, and names its reason", () => {
  const field = (problem: string | undefined) =>
    renderToStaticMarkup(createElement(TypedField, { id: "slot", problem, onText: () => undefined, value: "xyz" }))
  expect(field("xyz is not a number")).toMatch(
    /aria-invalid="true" aria-describedby="slot-problem".*<p id="slot-problem"[^>]*role="alert">xyz is not a number</u
  )
  expect(field(undefined)).toContain(`aria-invalid="false"`)
  expect(field(undefined)).not.toContain("alert")
})
