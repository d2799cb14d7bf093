/** Keys of the mappings of the example contracts, because a mapping has no list of its keys. */
import * as ExampleContracts from "../chain/ExampleContracts.ts"

/** An entry of a mapping. */
export interface ExampleKey {
  /** The keys as the path has them, such as `[Closed]`. */
  readonly keys: string
  /** A word about the entry, if its keys do not explain it. */
  readonly says?: string
}

const [DEPLOYER, ADA, BOB] = ExampleContracts.ACCOUNTS

const COUNTER: Readonly<Record<string, ReadonlyArray<ExampleKey>>> = {
  calls: [{ keys: `[${ADA}]` }, { keys: `[${DEPLOYER}]`, says: "never called" }]
}

/** The entries by contract and by mapping. */
const KEYS: Readonly<Record<keyof ExampleContracts.ExampleContracts, typeof COUNTER>> = {
  cabinet: {
    members: [
      { keys: `[${ADA}]`, says: "joined" },
      { keys: `[${BOB}]`, says: "removed" }
    ],
    wordCount: [{ keys: '["plumb"]' }],
    history: [{ keys: "[Open]" }, { keys: "[Closed]" }],
    grid: [{ keys: "[true][-1]" }]
  },
  token: {
    balanceOf: [{ keys: `[${ADA}]` }, { keys: `[${BOB}]` }],
    allowance: [{ keys: `[${ADA}][${BOB}]` }]
  },
  counter: COUNTER,
  counterV2: COUNTER,
  proxy: {}
}

/** The day of the visit by the chain. */
const DAYS: Readonly<Record<string, number>> = { live: 20_454, history: 18_518 }

/** Returns the known entries of a mapping of an example contract. */
export const of = (
  network: string,
  contract: keyof ExampleContracts.ExampleContracts,
  mapping: string
): ReadonlyArray<ExampleKey> =>
  contract === "cabinet" && mapping === "visits"
    ? [{ keys: `[${ADA}][${DAYS[network]}]`, says: "a day, counted from 1970" }]
    : (KEYS[contract][mapping] ?? [])
