/** The reasons for which a typed text, or an address of the page, is refused. */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, test } from "vitest"

import { TypedField } from "../src/parts/TypedField.tsx"
import { parse } from "../src/route/ConsoleRoute.ts"
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

test("a key, its secret and a CID have their own reasons", () => {
  const cid = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
  expect(TypedText.secretProblem("0".repeat(32), "API key")).toBeUndefined()
  expect(TypedText.secretProblem("", "API key secret")).toBe("Enter the API key secret.")
  expect(TypedText.secretProblem("a key", "API key")).toContain("8 to 128 letters, digits")
  // what a reader pasted by mistake may be a secret of another kind
  expect(TypedText.secretProblem("correct horse", "API key")).not.toContain("horse")
  expect(TypedText.cidOf(`ipfs://${cid}`)).toBe(cid)
  expect(TypedText.cidOf(`${cid}/a`)).toBeUndefined()
  expect(TypedText.cidProblem("QmBad")).toBe("QmBad is not a CID.")
  expect(TypedText.contentProblem(`/ipfs/${cid}/a`)).toBeUndefined()
  expect(TypedText.contentProblem(`${cid}/../a`)).toContain("nor a path that begins with one")
})

test("a button is disabled only while its work runs, which its text says", () => {
  const source = path.resolve(import.meta.dirname, "../src")
  const reasons = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => [...readFileSync(path.join(source, file), "utf8").matchAll(/\bdisabled=\{([^}]*)\}/gu)])
    .map(([, reason]) => reason)
  expect(reasons.length).toBeGreaterThan(5)
  const working = /^(?:(?:work\.)?is(?:Busy|Reading|Sending)|state === "reading"|state\._tag === "Waiting")$/u
  expect(reasons.filter((reason) => !working.test(reason!))).toEqual([])
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
