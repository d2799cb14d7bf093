import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { Allowlist, CallCheck } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

// The address has letters, so that its upper and lower case differ.
const address = (digit: string) => `0x${`${digit}f`.repeat(20)}`
const A = address("1")
const B = address("2")
const C = address("3")
const FREE = address("4")
const HASH = `0x${"11".repeat(32)}`

const compile = (input: Partial<Allowlist.Allowlist>) => Allowlist.compile(Result.getOrThrow(Allowlist.parse(input)))

/** Returns the decision about a call, after `CallCheck` has made the parameters canonical, as for a real caller. */
const call = (rules: Allowlist.CompiledAllowlist, method: string, params: unknown): boolean => {
  const checked = CallCheck.check(EthMethods.group, { method, params: params as ReadonlyArray<unknown> })
  return rules.call(
    method,
    Result.getOrThrowWith(checked, (error) => new Error(`${method}: ${error.message}`))
  )
}

describe("an allowlist", () => {
  it("without entries allows everything", () => {
    const rules = Allowlist.compile(Allowlist.none)
    assert.isTrue(rules.caller(undefined, undefined))
    assert.isTrue(rules.network("anything"))
    assert.isTrue(call(rules, "eth_getBalance", [A, "latest"]))
    assert.isTrue(call(rules, "eth_getLogs", [{}]))
  })

  it("needs one entry of each kind that has any", () => {
    const rules = compile({
      networks: ["mainnet", "testnet"],
      methods: ["eth_call", "eth_getBalance"],
      addresses: [A],
      origins: ["https://app.example"],
      userAgents: ["Android", "curl/8"]
    })
    assert.isTrue(rules.network("testnet"))
    assert.isFalse(rules.network("history"))
    assert.isTrue(rules.caller("https://app.example", "curl/8.5.0"))
    assert.isTrue(rules.caller("https://app.example", "Mozilla/5.0 (Linux; Android 15)"))
    assert.isFalse(rules.caller("https://app.example", "Wget/1.21"))
    assert.isFalse(rules.caller("https://other.example", "curl/8.5.0"))
    assert.isTrue(call(rules, "eth_getBalance", [A, "latest"]))
    assert.isFalse(call(rules, "eth_getBalance", [B, "latest"]), "a listed method, another address")
    assert.isFalse(call(rules, "eth_getCode", [A, "latest"]), "a listed address, another method")
  })

  it("refuses who does not say an origin or a user agent, where one is asked for", () => {
    assert.isFalse(compile({ origins: ["app.example"] }).caller(undefined, "curl/8.5.0"))
    assert.isFalse(compile({ userAgents: ["curl"] }).caller("https://app.example", undefined))
    assert.isTrue(compile({ userAgents: ["curl"] }).caller(undefined, "curl/8.5.0"))
  })

  it("takes a user agent by any part of it, in its own case", () => {
    const rules = compile({ userAgents: ["Android"] })
    assert.isTrue(rules.caller(undefined, "Android"))
    assert.isFalse(rules.caller(undefined, "android"))
    assert.isFalse(rules.caller(undefined, "Andro id"))
  })

  it("is answered with 403 and the error object of the interface", () => {
    assert.deepStrictEqual(Allowlist.rejected, {
      status: 403,
      error: { code: -32002, message: "rejected due to project ID settings" }
    })
  })
})

/** Texts that end like an allowed origin, but that no browser sends as an Origin. */
const NO_ORIGINS = [
  "https://evil.example/.example.com",
  "https://evil.example/x.example.com",
  "https://evil.example?.example.com",
  "https://evil.example#.example.com",
  "https://evil.example\\.example.com",
  "https://evil@.example.com",
  "https://user:a.example.com",
  "https://evil.example:1.example.com",
  "https://evil.example .example.com",
  "https://a.example.com/",
  "https://a.example.com:443:443",
  "https://a..example.com"
]

describe("origins", () => {
  // Each row has an entry, accepted values and refused values. The first three entries are from Infura's documentation.
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [
      "https://*.example.com",
      ["https://your-app.example.com", "https://our-app.example.com", "https://a.b.example.com"],
      [
        "http://your-app.example.com",
        "https://example.com",
        "https://.example.com",
        "https://example.com.evil.example",
        ...NO_ORIGINS
      ]
    ],
    [
      "mydapp.example.com",
      ["mydapp.example.com", "https://mydapp.example.com", "http://mydapp.example.com"],
      ["x.mydapp.example.com"]
    ],
    [
      "https://",
      ["https://a.example", "https://b.example:8443"],
      ["http://a.example", "null", "a.example", ...NO_ORIGINS]
    ],
    [
      "*.example.com",
      ["https://a.example.com", "capacitor://a.example.com", "a.example.com"],
      ["https://evilexample.com", "example.com", ...NO_ORIGINS]
    ],
    [
      "https://app.example",
      ["https://app.example", "HTTPS://App.Example"],
      ["https://app.example:8443", "https://app.example.evil"]
    ],
    ["HTTPS://App.Example", ["https://app.example"], ["http://app.example"]],
    ["http://localhost:3000", ["http://localhost:3000"], ["http://localhost", "http://localhost:30000"]],
    ["*.example.com:8443", ["https://a.example.com:8443"], ["https://a.example.com"]],
    ["http://[::1]:3000", ["http://[::1]:3000"], ["http://[::1]"]],
    ["chrome-extension://abcdefghijklmnop", ["chrome-extension://abcdefghijklmnop"], ["chrome-extension://other"]]
  ]
  for (const [entry, taken, refused] of rows) {
    it(`like ${entry}`, () => {
      const rules = compile({ origins: [entry] })
      for (const origin of taken) assert.isTrue(rules.caller(origin, undefined), origin)
      for (const origin of refused) assert.isFalse(rules.caller(origin, undefined), origin)
      assert.isFalse(rules.caller("", undefined))
      assert.isFalse(rules.caller(`https://${"a".repeat(300)}.example.com`, undefined))
    })
  }

  it("are what a RegExp made of the entry would take", () => {
    const random = Random.make(7)
    const labels = ["a", "b", "example", "com", "evil", "a-b"]
    const host = () => Array.from({ length: 1 + Random.int(random, 3) }, () => Random.pick(random, labels)).join(".")
    const scheme = () => Random.pick(random, ["https://", "http://", ""])
    const port = () => Random.pick(random, ["", "", ":8443"])
    for (let run = 0; run < Random.runs(3000); run++) {
      const entry = `${scheme()}${Random.pick(random, ["*.", ""])}${host()}${port()}`
      const quoted = entry.replaceAll(/[.+?^${}()|[\]\\/:-]/gu, String.raw`\$&`).replace("*", ".+")
      const expected = new RegExp(`^${entry.includes("://") ? "" : "(?:[a-z]+:\\/\\/)?"}${quoted}$`)
      const rules = compile({ origins: [entry] })
      const near = entry.replace("*", Random.pick(random, labels))
      for (const origin of [
        `${scheme()}${host()}${port()}`,
        near,
        `https://${near.replace(/^.*:\/\//u, "")}`,
        near.replace("://", "://x.")
      ]) {
        assert.strictEqual(rules.caller(origin, undefined), expected.test(origin), `${entry} and ${origin}`)
      }
    }
  })
})

describe("addresses", () => {
  const rules = compile({ addresses: [A, B.toUpperCase().replace("0X", "0x")] })

  // The methods that name an account. Each function returns the parameters of a call with the given address.
  const about: Readonly<Record<string, (address: string) => ReadonlyArray<unknown>>> = {
    eth_call: (to) => [{ to, data: "0x" }, "latest"],
    eth_estimateGas: (to) => [{ to }],
    eth_createAccessList: (to) => [{ to }, "latest"],
    eth_simulateV1: (to) => [{ blockStateCalls: [{ calls: [{ to }] }] }, "latest"],
    eth_getLogs: (address) => [{ address }],
    eth_getBalance: (address) => [address, "latest"],
    eth_getCode: (address) => [address, "latest"],
    eth_getStorageAt: (address) => [address, "0x0", "latest"],
    eth_getStorageValues: (address) => [{ [address]: ["0x0"] }, "latest"],
    eth_getTransactionCount: (address) => [address, "latest"],
    eth_getProof: (address) => [address, [], "latest"]
  }
  for (const [method, params] of Object.entries(about)) {
    it(`bind ${method}`, () => {
      assert.isTrue(call(rules, method, params(A)))
      assert.isTrue(call(rules, method, params(B)), "listed in upper case")
      assert.isTrue(call(rules, method, params(A.toUpperCase().replace("0X", "0x"))), "asked for in upper case")
      assert.isFalse(call(rules, method, params(C)))
    })
  }

  it("bind no other method", () => {
    const bound = new Set(Object.keys(about))
    const others = Object.keys(EthMethods.group.methods).filter((name) => !bound.has(name))
    assert.deepStrictEqual(
      others.filter((name) => !rules.call(name, [C, C])),
      []
    )
  })

  it("cover every method that names an address", () => {
    const named = Object.values(EthMethods.group.methods).filter((method) =>
      JSON.stringify(method.params.map(({ schema }) => Schema.toJsonSchemaDocument(schema))).includes("[0-9a-fA-F]{40}")
    )
    assert.isAbove(named.length, 4)
    for (const { name } of named) assert.property(about, name)
  })

  it("are all looked at where there are several", () => {
    assert.isTrue(call(rules, "eth_getLogs", [{ address: [A, B] }]))
    assert.isFalse(call(rules, "eth_getLogs", [{ address: [A, C] }]))
    assert.isFalse(call(rules, "eth_getLogs", [{ address: [C, A], blockHash: HASH }]))
    assert.isTrue(call(rules, "eth_getStorageValues", [{ [A]: ["0x0"], [B]: ["0x0"] }, "latest"]))
    assert.isFalse(call(rules, "eth_getStorageValues", [{ [A]: ["0x0"], [C]: ["0x0"] }, "latest"]))
  })

  it("must be there where they are asked for", () => {
    for (const filter of [{}, { address: [] }, { address: null }, { fromBlock: "0x1", topics: [HASH] }]) {
      assert.isFalse(call(rules, "eth_getLogs", [filter]), JSON.stringify(filter))
    }
    assert.isFalse(call(rules, "eth_call", [{ data: "0x6001" }, "latest"]))
    assert.isFalse(call(rules, "eth_call", [{ to: null, data: "0x6001" }, "latest"]))
    assert.isFalse(call(rules, "eth_estimateGas", [{ from: A }]))
    assert.isFalse(call(rules, "eth_getStorageValues", [{}, "latest"]))
    assert.isFalse(rules.call("eth_getBalance", []))
    assert.isFalse(rules.call("eth_createAccessList", [{ to: A }, "latest", { [C]: { code: "0x6001" } }]))
  })

  describe("are not got round by overrides", () => {
    const accounts: ReadonlyArray<readonly [isAllowed: boolean, change: object]> = [
      [false, { code: "0x6001" }],
      [false, { balance: "0x1", code: "0x" }],
      [false, { state: { [HASH]: HASH } }],
      [false, { state: {} }],
      [false, { stateDiff: { [HASH]: HASH } }],
      [false, { balance: "0x1", stateDiff: { [HASH]: HASH } }],
      [false, { movePrecompileToAddress: C }],
      [true, {}],
      [true, { balance: "0x1" }],
      [true, { balance: "0x1", nonce: "0x1" }]
    ]
    for (const method of ["eth_call", "eth_estimateGas"]) {
      for (const at of [A, B.toLowerCase(), C, A.toUpperCase().replace("0X", "0x")]) {
        for (const [isAllowed, change] of accounts) {
          it(`of ${method}: ${Object.keys(change).join(" and ") || "none"} of ${at.slice(0, 6)}`, () => {
            assert.strictEqual(call(rules, method, [{ to: A }, "latest", { [at]: change }]), isAllowed)
            // The forbidden address comes before or after an allowed address.
            assert.strictEqual(
              call(rules, method, [{ to: A }, "latest", { [FREE]: { balance: "0x1" }, [at]: change }]),
              isAllowed
            )
            assert.strictEqual(
              call(rules, method, [{ to: A }, "latest", { [at]: change, [FREE]: { balance: "0x1" } }]),
              isAllowed
            )
          })
        }
      }
      it(`of ${method}: of the block`, () => {
        const inBlock = (block: object) => call(rules, method, [{ to: A }, "latest", {}, block])
        assert.isFalse(inBlock({ feeRecipient: C }))
        assert.isFalse(inBlock({ time: "0x1", feeRecipient: A }))
        assert.isTrue(inBlock({ time: "0x1", number: "0x1", baseFeePerGas: "0x0" }))
      })
    }

    it("of names that nothing here knows, in a group of somebody else", () => {
      assert.isFalse(rules.call("eth_call", [{ to: A }, "latest", { [A]: { codeHash: HASH } }]))
      assert.isFalse(rules.call("eth_call", [{ to: A }, "latest", [{ address: A, code: "0x60" }]]))
      assert.isFalse(rules.call("eth_call", [{ to: A }, "latest", "0x60"]))
      assert.isFalse(rules.call("eth_call", [{ to: A }, "latest", null, { precompiles: {} }]))
    })
  })

  it("are not got round by code that an authorization puts in place of its signer's", () => {
    const authorization = { chainId: "0x1", address: C, nonce: "0x0", yParity: "0x0", r: "0x1", s: "0x1" }
    for (const method of ["eth_call", "eth_estimateGas", "eth_createAccessList"]) {
      assert.isFalse(call(rules, method, [{ to: A, authorizationList: [authorization] }, "latest"]), method)
      assert.isTrue(call(rules, method, [{ to: A, authorizationList: [] }, "latest"]), method)
    }
  })

  it("bind each call and each override of a simulation", () => {
    const simulated = (...blockStateCalls: ReadonlyArray<unknown>) =>
      call(rules, "eth_simulateV1", [{ blockStateCalls }, "latest"])
    const allowed = { calls: [{ to: A }] }
    assert.isTrue(simulated(allowed, {}, { calls: [], stateOverrides: { [C]: { balance: "0x1" } } }))
    assert.isFalse(simulated())
    assert.isFalse(simulated({ calls: [] }))
    assert.isFalse(simulated({ calls: [{ to: A }, { to: C }] }))
    assert.isFalse(simulated(allowed, { calls: [{ to: C }] }))
    assert.isFalse(simulated({ calls: [{ data: "0x6001" }] }))
    assert.isFalse(simulated({ ...allowed, stateOverrides: { [A]: { code: "0x6001" } } }))
    assert.isFalse(simulated({ ...allowed, blockOverrides: { feeRecipient: C } }))
    assert.isTrue(simulated({ ...allowed, blockOverrides: { number: "0x9" } }))
  })

  it("refuse every method of JSON-RPC that they do not know, and no command of IPFS", () => {
    const unknown = ["eth_simulateV1", "eth_callMany", "eth_multicallV1", "debug_traceCall", "debug_storageRangeAt"]
    for (const method of [...unknown, "trace_call", "trace_callMany", "trace_rawTransaction", "eth_getAccount"]) {
      assert.isFalse(rules.call(method, [{ to: A }, "latest"]), method)
      assert.isTrue(Allowlist.compile(Allowlist.none).call(method, []), method)
    }
    for (const command of ["add", "cat", "pin/add", "object/get"]) assert.isTrue(rules.call(command, []), command)
    assert.isTrue(rules.call("starknet_pendingTransactions", []))
  })

  it("are those that a caller wrote last, in every form that JSON lets it write them", () => {
    const asked = (text: string) => call(rules, "eth_call", JSON.parse(text))
    assert.isFalse(asked(`[{"to":"${A}","to":"${C}"},"latest"]`))
    assert.isTrue(asked(`[{"to":"${C}","to":"${A}"},"latest"]`))
    assert.isFalse(asked(`[{"to":"${A}","\\u0074o":"${C}"},"latest"]`))
    assert.isFalse(asked(`[{"to":"${A}"},"latest",{"${A}":{},"${A}":{"stateDiff":{"${HASH}":"${HASH}"}}}]`))
    // A value that is not an address of 20 bytes is always refused.
    for (const to of [A.slice(0, -1), A.slice(2), `${A}00`, "0x1", ""]) {
      assert.isTrue(
        Result.isFailure(CallCheck.check(EthMethods.group, { method: "eth_call", params: [{ to }, "latest"] }))
      )
    }
  })

  it("bind subscriptions to logs, and no others", () => {
    assert.isTrue(rules.call("eth_subscribe", ["logs", { address: A }]))
    assert.isFalse(rules.call("eth_subscribe", ["logs", { address: [A, C] }]))
    assert.isFalse(rules.call("eth_subscribe", ["logs", {}]))
    assert.isFalse(rules.call("eth_subscribe", ["logs"]))
    assert.isTrue(rules.call("eth_subscribe", ["newHeads"]))
  })
})

describe("an allowlist from outside", () => {
  const settingOf = (input: unknown) => {
    const parsed = Allowlist.parse(input)
    return Result.isFailure(parsed) ? parsed.failure.setting : "none"
  }

  it("is read as it is written, with the kinds that are left out empty", () => {
    const given = { networks: ["mainnet"], addresses: null }
    assert.deepStrictEqual(Result.getOrThrow(Allowlist.parse(given)), { ...Allowlist.none, networks: ["mainnet"] })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Allowlist.Allowlist)({ methods: ["eth_call"] }), {
      ...Allowlist.none,
      methods: ["eth_call"]
    })
  })

  it("has at most 30 entries of a kind", () => {
    const methods = Array.from({ length: 31 }, (_, index) => `eth_${index}`)
    assert.strictEqual(settingOf({ methods: methods.slice(1) }), "none")
    assert.strictEqual(settingOf({ methods }), "methods")
    assert.isFalse(Schema.is(Allowlist.Allowlist)({ ...Allowlist.none, methods }))
  })

  it("is refused where it is wrong, by the place and without the value", () => {
    const rows: ReadonlyArray<readonly [unknown, string]> = [
      [undefined, "allowlist"],
      [[], "allowlist"],
      ["eth_call", "allowlist"],
      [{ method: ["eth_call"] }, "allowlist"],
      [{ methods: "eth_call" }, "methods"],
      [{ methods: ["eth_call", 7] }, "methods[1]"],
      [{ methods: ["eth call"] }, "methods[0]"],
      [{ networks: [""] }, "networks[0]"],
      [{ addresses: [A, "0x12"] }, "addresses[1]"],
      [{ addresses: [`${A}00`] }, "addresses[0]"],
      [{ addresses: ["vitalik.eth"] }, "addresses[0]"],
      [{ userAgents: [""] }, "userAgents[0]"],
      [{ userAgents: [" "] }, "userAgents[0]"],
      [{ userAgents: ["a".repeat(257)] }, "userAgents[0]"]
    ]
    for (const [input, setting] of rows) {
      assert.strictEqual(settingOf(input), setting, JSON.stringify(input))
    }
    const odd = [
      "*",
      "*.",
      "https://*",
      "https://a.*.example",
      "https://a.example/",
      "https://a.example/x",
      "a b",
      "://a"
    ]
    for (const origin of [...odd, "https://user@a.example", "https://a..example", "a.example:", "", "-a.example"]) {
      assert.strictEqual(settingOf({ origins: [origin] }), "origins[0]", origin)
      assert.isFalse(Schema.is(Allowlist.Allowlist)({ ...Allowlist.none, origins: [origin] }), origin)
    }
    const secret = Allowlist.parse({ addresses: ["hunter2"] })
    assert.isTrue(Result.isFailure(secret) && !JSON.stringify(secret.failure).includes("hunter2"))
  })
})
