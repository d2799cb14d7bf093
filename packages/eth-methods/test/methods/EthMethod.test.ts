import { assert, describe, it } from "@effect/vitest"
import {
  type EthClient,
  EthMethod,
  EthMethods,
  type ProvenEthClient,
  type VerdictEthClient
} from "@plumbline/eth-methods"
import { Schema } from "effect"

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

const entry = { read: "oddThing", params: [], result: Schema.String, doc: "A thing.", cost: 80, cache: "none" } as const
const oddThing = EthMethod.make("eth_oddThing", { ...entry, trust: "proven", verification: "proven" })

describe("a method's entry", () => {
  it("does not compile without its trust, its client name, its cache, or the things that its arguments name", () => {
    // @ts-expect-error: the trust is missing
    assert.isUndefined(EthMethod.make("eth_oddThing", entry).trust)
    const { read: _, ...nameless } = entry
    // @ts-expect-error: the client name is missing
    assert.isUndefined(EthMethod.make("eth_oddThing", { ...nameless, trust: "advice" }).read)
    const { cache: __, ...cacheless } = entry
    // @ts-expect-error: the cache is missing
    assert.strictEqual(EthMethod.make("eth_oddThing", { ...cacheless, trust: "advice" }).cache, "none")
    // @ts-expect-error: the argument may name an address
    assert.isUndefined(EthMethod.param("owner", Schema.String, { doc: "the owner", values: 1 }).names)
  })

  it("says how much of a proven answer is proven, and that nothing of another one is", () => {
    // @ts-expect-error: the verification is missing
    assert.strictEqual(EthMethod.make("eth_oddThing", { ...entry, trust: "proven" }).verification, "claimed")
    // @ts-expect-error: nothing proves a fact
    assert.strictEqual(EthMethod.make("x", { ...entry, trust: "fact", verification: "partial" }).trust, "fact")
    const others = EthMethods.all.filter(({ trust }) => trust !== "proven")
    assert.isNotEmpty(others)
    for (const { name, verification } of others) assert.strictEqual(verification, "claimed", name)
  })

  it("gives a default that its parameter takes, and makes the argument optional by it", () => {
    const number = { names: "nothing", doc: "a count", values: 1 } as const
    // @ts-expect-error: the default must be a number
    assert.strictEqual(EthMethod.param("count", Schema.Number, { ...number, byDefault: "1" }).byDefault, "1")
    type Args = EthMethod.ReadArguments<typeof EthMethods.eth_feeHistory.params>
    assert.isTrue(true satisfies Same<Args["length"], 1 | 2 | 3>)
    const { eth_feeHistory } = EthMethods
    assert.deepStrictEqual(EthMethod.withDefaults(eth_feeHistory, [4n, undefined, [50]]), [4n, "latest", [50]])
    for (const { name, params } of EthMethods.all) {
      for (const { byDefault, schema } of params) {
        assert.isTrue(byDefault === undefined || Schema.is(schema)(byDefault), name)
      }
    }
  })
})

describe("another spelling of an argument", () => {
  it.each([
    "0xAB",
    "latest",
    null,
    7,
    [],
    {},
    ["0xab", ["a", "0x"]],
    { to: "0xAB", accessList: [{ address: "0x", storageKeys: ["0x1"] }] },
    JSON.parse('{"__proto__":"0x"}')
  ])("is the argument itself where nothing begins with 0X: %j", (argument) => {
    assert.strictEqual(EthMethod.respell(argument), argument)
  })

  it.each([
    ["0XaB", "0xaB"],
    [
      ["a", ["0X1"]],
      ["a", ["0x1"]]
    ],
    [
      { accessList: [{ storageKeys: ["0x1", "0X2"] }], to: "0x" },
      { accessList: [{ storageKeys: ["0x1", "0x2"] }], to: "0x" }
    ],
    [{ "0Xab": { nonce: "0x1" } }, { "0xab": { nonce: "0x1" } }]
  ])("has 0x in place of 0X: %j", (argument, expected) => {
    assert.deepStrictEqual<unknown>(EthMethod.respell(argument), expected)
  })
})

describe("the clients", () => {
  it("have exactly the reads of the methods", () => {
    assert.isTrue(true satisfies Same<keyof EthClient.Client, EthMethods.ReadName>)
    type Added = EthMethods.Method | typeof oddThing
    // @ts-expect-error: the interface has no read of this name
    assert.strictEqual("oddThing" satisfies keyof Pick<EthClient.Client, EthMethod.ReadName<Added>>, oddThing.read)
  })

  it("have a verdict only where the answer is proven or an engine runs the call, and a check for every other proven answer", () => {
    type Proven = EthMethods.ReadName<"proven">
    type Runs = "call" | "createAccessList" | "estimateGas" | "simulate"
    assert.isTrue(true satisfies Same<Exclude<keyof VerdictEthClient.Client, Proven>, Runs>)
    type Others = "blockNumber" | "sendRawTransaction" | "sendRawTransactionSync" | "sha3"
    assert.isTrue(true satisfies Same<keyof ProvenEthClient.Checks, Others>)
    const checks: Partial<ProvenEthClient.Checks> = {}
    // @ts-expect-error: oddThing is proven, and nothing checks it
    const lacking: ProvenEthClient.Checks<typeof oddThing> = checks
    assert.notProperty(lacking, "oddThing")
  })

  it("take the arguments of the methods, and options after them", () => {
    type Given<F> = F extends (...args: infer A) => unknown ? A : []
    type Ours = EthClient.ReadsOf<"proven"> &
      Pick<EthClient.Client, "call" | "createAccessList" | "estimateGas" | "simulate">
    type Verdicts = VerdictEthClient.Client
    type Plain = Exclude<keyof Verdicts, "getBlockByHash" | "getBlockByNumber" | "getBlockReceipts">
    assert.isTrue(true satisfies Same<{ [N in Plain]: Given<Ours[N]> }, { [N in Plain]: Given<Verdicts[N]> }>)
    assert.isTrue(true satisfies Same<Given<Ours["getBlockReceipts"]>[0], Given<Verdicts["getBlockReceipts"]>[0]>)
  })
})
