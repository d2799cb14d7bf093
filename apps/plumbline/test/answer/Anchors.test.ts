/** Tests the anchors of answers, in `--json` and in text. */
import { expect, it } from "@effect/vitest"
import { Anchor } from "@plumbline/verdict"

import * as AnswerView from "../../src/answer/AnswerView.ts"
import * as ReadAnswer from "../../src/answer/ReadAnswer.ts"
import * as Style from "../../src/terminal/Style.ts"

const anchor = Anchor.lightClient({
  hash: "0xab",
  checkpoint: "0xcd",
  slot: 12_345n,
  finality: "optimistic",
  participation: [509, 512],
  age: 14
})

it("names checkpoint, slot, finality, participation and age of a light client's block", () => {
  const answer: ReadAnswer.ReadAnswer = { verdict: "VERIFIED", value: null, anchor, proven: [], claimed: [] }
  expect(ReadAnswer.wire(answer)["anchor"]).toEqual({
    kind: "light-client",
    hash: "0xab",
    checkpoint: "0xcd",
    slot: "12345",
    finality: "optimistic",
    participation: [509, 512],
    age: "14"
  })
  const [headline] = AnswerView.verdict(answer, Style.plain)
  expect(headline).toContain("VERIFIED")
  expect(headline).toContain("against the light client's block 0xab")
  expect(
    ReadAnswer.wire(ReadAnswer.refused({ check: "c", expected: "1", got: "2" }, Anchor.block("0xab")))["anchor"]
  ).toEqual({
    kind: "block",
    hash: "0xab"
  })
})

it("calls a checkpoint that no member signed yet a checkpoint, with no participation", () => {
  const unsigned = Anchor.lightClient({ ...anchor, finality: "checkpoint", participation: [0, 512] })
  const answer: ReadAnswer.ReadAnswer = { verdict: "VERIFIED", value: null, anchor: unsigned, proven: [], claimed: [] }
  expect(ReadAnswer.wire(answer)["anchor"]).toMatchObject({ finality: "checkpoint", participation: [0, 512] })
})
