/** The block of the rows: a real mainnet block if the fixtures are present, otherwise one that ethereumjs made. */
import { blockAnswer } from "./ethereumjsAnswers.ts"
import { fixture, hasFixtures } from "./fixtures.ts"

const answer = hasFixtures ? JSON.parse(fixture("block24476003.json")) : blockAnswer

/** The block as a node sends it, without white space. */
export const text: string = JSON.stringify(answer)

export const hash: `0x${string}` = answer.hash

/** The number of transactions in the block. */
export const size: number = answer.transactions.length

export const source = hasFixtures
  ? `block: mainnet ${BigInt(answer.number)}, ${size} transactions`
  : `block: made, ${size} transactions, because ../shared/fixtures is absent`
