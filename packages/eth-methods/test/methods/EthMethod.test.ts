import { assert, describe, it } from "@effect/vitest"
import { EthClient, EthMethod, EthMethods, ProvenEthClient, VerdictEthClient } from "@plumbline/eth-methods"
import { type Effect, Schema } from "effect"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const entry = { read: "newThing", params: [], result: Schema.String, doc: "A thing.", cost: 80, cache: "none" } as const
const newThing = EthMethod.make("eth_newThing", { ...entry, trust: "proven", verification: "proven" })

describe("a method's entry", () => {
  it("does not compile without its trust, its client name, its cache, or the things that its arguments name", () => {
    // @ts-expect-error: the trust is missing
    EthMethod.make("eth_newThing", entry)
    const { read: _, ...nameless } = entry
    // @ts-expect-error: the client name is missing
    EthMethod.make("eth_newThing", { ...nameless, trust: "advice" })
    const { cache: __, ...cacheless } = entry
    // @ts-expect-error: the cache is missing
    EthMethod.make("eth_newThing", { ...cacheless, trust: "advice" })
    // @ts-expect-error: the argument may name an address
    EthMethod.param("owner", Schema.String, { doc: "the owner", values: 1 })
  })

  it("says how much of a proven answer is proven, and that nothing of another one is", () => {
    // @ts-expect-error: the verification is missing
    EthMethod.make("eth_newThing", { ...entry, trust: "proven" })
    // @ts-expect-error: nothing proves a fact
    EthMethod.make("eth_newThing", { ...entry, trust: "fact", verification: "partial" })
    for (const { name, trust, verification } of EthMethods.all) {
      if (trust !== "proven") assert.strictEqual(verification, "claimed", name)
    }
  })

  it("gives a default that its parameter takes, and makes the argument optional by it", () => {
    // @ts-expect-error: the default is no number
    EthMethod.param("count", Schema.Number, { names: "nothing", doc: "a count", values: 1, byDefault: "1" })
    holds<Same<EthMethod.Args<[]>, []>>()
    type History = EthMethod.Args<typeof EthMethods.eth_feeHistory.params>
    holds<Same<History["length"], 1 | 2 | 3>>()
    for (const { name, params } of EthMethods.all) {
      for (const { byDefault, schema } of params) {
        if (byDefault !== undefined) assert.isTrue(Schema.is(schema)(byDefault), name)
      }
    }
  })
})

describe("the clients", () => {
  it("have exactly the reads of the methods", () => {
    holds<Same<keyof EthClient.Client, EthMethods.ReadName>>()
    // @ts-expect-error: the interface has no read of this name
    type _Unknown = Pick<EthClient.Client, EthMethod.ReadName<EthMethods.Method | typeof newThing>>
  })

  it("have a verdict only where the answer is proven, and a check for every other proven answer", () => {
    holds<Same<Exclude<keyof VerdictEthClient.Client, EthMethods.ReadName<"proven">>, never>>()
    const checks = undefined as unknown as ProvenEthClient.Checks
    holds<Same<keyof typeof checks, "blockNumber" | "sendRawTransaction" | "sendRawTransactionSync" | "sha3">>()
    // @ts-expect-error: newThing is proven, and nothing checks it
    const _lacking: ProvenEthClient.Checks<EthMethods.Method | typeof newThing> = checks
  })

  it("take the arguments of the methods, and options after them", () => {
    type Ours = EthClient.ReadsOf<"proven">
    type Verdicts = VerdictEthClient.Client
    type Given<F> = F extends (...args: infer A) => unknown ? A : []
    type Block = "getBlockByHash" | "getBlockByNumber"
    type Other = Exclude<keyof Verdicts, Block | "getBlockReceipts">
    holds<Same<{ [N in Other]: Given<Ours[N]> }, { [N in Other]: Given<Verdicts[N]> }>>()
    holds<Same<Given<Ours["getBlockReceipts"]>[0], Given<Verdicts["getBlockReceipts"]>[0]>>()
    holds<Same<Effect.Success<EthClient.Client["chainId"]>, bigint>>()
  })
})
