/**
 * Records the blocks and receipts of small chains of the OP stack from op-geth, one chain for each form of a block.
 *
 * Usage: `node packages/eth-methods/scripts/opStackChain.ts <op-geth>`, with op-geth 1.101702.3. The tests read the file
 * that it writes; they need no op-geth. Each chain has two blocks: deposits with and without a mint, a creation, a
 * creation that fails, and signed transactions of types 0, 1, 2 and 4. Attributes and deposits are made by viem. Calls of
 * small programs are recorded at the newest block, with the proofs that they need.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { gzipSync } from "node:zlib"

import { concat, type Hex, keccak256, numberToHex, pad, sha256, stringToHex, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { serializeTransaction } from "viem/op-stack"

const CHAIN_ID = 901
const account = privateKeyToAccount("0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8")
const DEPOSITOR = "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001"
const L1_BLOCK = "0x4200000000000000000000000000000000000015"
const PASSER = "0x4200000000000000000000000000000000000016"

/** Stores 42 in memory, emits it in a log with topic 7, and returns no code. */
const CREATES = "0x602a600052600760206000a160006000f3"
/** Reverts. */
const FAILS = "0x60006000fd"

/** The forks in order, with the name of Ethereum's fork that begins with them. */
const FORKS = [
  "bedrock",
  "regolith",
  "canyon",
  "ecotone",
  "fjord",
  "granite",
  "holocene",
  "isthmus",
  "jovian",
  "karst"
] as const
type Fork = (typeof FORKS)[number]
const ETHEREUM: Partial<Record<Fork, string>> = {
  canyon: "shanghai",
  ecotone: "cancun",
  isthmus: "prague",
  karst: "osaka"
}
const RECORDED: ReadonlyArray<Fork> = [
  "bedrock",
  "regolith",
  "canyon",
  "ecotone",
  "holocene",
  "isthmus",
  "jovian",
  "karst"
]

const atLeast = (fork: Fork, other: Fork): boolean => FORKS.indexOf(fork) >= FORKS.indexOf(other)

const extraData = (fork: Fork): Hex =>
  atLeast(fork, "jovian")
    ? "0x01000000fa000000060000000000000000"
    : atLeast(fork, "holocene")
      ? "0x00000000fa00000006"
      : "0x"

const genesis = (fork: Fork) => {
  const times: Record<string, number> = {}
  for (const name of FORKS.slice(1)) {
    if (!atLeast(fork, name)) continue
    times[`${name}Time`] = 0
    const other = ETHEREUM[name]
    if (other !== undefined) times[`${other}Time`] = 0
  }
  const blocks = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul"]
  const later = ["muirGlacier", "berlin", "london", "arrowGlacier", "grayGlacier", "mergeNetsplit", "bedrock"]
  return {
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries([...blocks, ...later].map((name) => [`${name}Block`, 0])),
      ...times,
      terminalTotalDifficulty: 0,
      optimism: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 }
    },
    nonce: "0x0",
    timestamp: "0x65000000",
    extraData: extraData(fork),
    gasLimit: "0x1c9c380",
    difficulty: "0x0",
    mixHash: pad("0x0", { size: 32 }),
    coinbase: "0x4200000000000000000000000000000000000011",
    baseFeePerGas: "0x3b9aca00",
    alloc: {
      [account.address]: { balance: numberToHex(10n ** 20n) },
      [PASSER]: { balance: "0x0", code: "0x00", nonce: "0x1", storage: { [pad("0x1")]: pad("0x1") } }
    }
  }
}

const u = (value: bigint | number, size: number): Hex => numberToHex(value, { size })

/** Returns the calldata of the attributes deposit, as the specification lays it out. */
const attributes = (fork: Fork, sequenceNumber: number, l1Hash: Hex): Hex => {
  const batcher = pad("0x5050505050505050505050505050505050505050", { size: 32 })
  if (!atLeast(fork, "ecotone")) {
    const words = [u(100n, 32), u(1_690_000_000n, 32), u(7_000_000_000n, 32), l1Hash, u(sequenceNumber, 32), batcher]
    return concat(["0x015d8eb9", ...words, u(188n, 32), u(684_000n, 32)])
  }
  const selector = atLeast(fork, "jovian") ? "0x3db6be2b" : atLeast(fork, "isthmus") ? "0x098999be" : "0x440a5e20"
  const scalars = [u(2_269, 4), u(1_055_762, 4), u(sequenceNumber, 8), u(1_690_000_000n, 8), u(100n, 8)]
  const fees = [u(7_000_000_000n, 32), u(9_000_000n, 32), l1Hash, batcher]
  const operator = atLeast(fork, "isthmus") ? [u(11, 4), u(13, 8)] : []
  const footprint = atLeast(fork, "jovian") ? [u(148, 2)] : []
  return concat([selector, ...scalars, ...fees, ...operator, ...footprint])
}

const sourceHash = (domain: number, l1Hash: Hex, number: number): Hex =>
  keccak256(concat([u(domain, 32), keccak256(concat([l1Hash, u(number, 32)]))]))

const transactions = async (fork: Fork, number: number): Promise<ReadonlyArray<Hex>> => {
  const l1Hash = keccak256(stringToHex("an L1 block"))
  const deposit = (domain: number, index: number, fields: object): Hex =>
    serializeTransaction({
      type: "deposit",
      sourceHash: sourceHash(domain, l1Hash, index),
      from: account.address,
      value: 0n,
      gas: 1_000_000n,
      ...fields
    })
  const signed = [
    { type: "legacy", gasPrice: 4_000_000_000n, to: L1_BLOCK, value: 1n },
    {
      type: "eip2930",
      gasPrice: 4_000_000_000n,
      to: L1_BLOCK,
      accessList: [{ address: PASSER, storageKeys: [pad("0x1")] }]
    },
    { type: "eip1559", maxFeePerGas: 9_000_000_000n, maxPriorityFeePerGas: 1n, data: CREATES },
    ...(atLeast(fork, "isthmus")
      ? [
          {
            type: "eip7702",
            maxFeePerGas: 9_000_000_000n,
            maxPriorityFeePerGas: 1n,
            to: L1_BLOCK,
            authorizationList: [await account.signAuthorization({ address: PASSER, chainId: 0, nonce: 0 })]
          }
        ]
      : [])
  ]
  // each deposit of the account uses a nonce too
  const first = (number - 1) * (3 + signed.length) + 3
  const raw = signed.map((fields, i) =>
    account.signTransaction({ chainId: CHAIN_ID, nonce: first + i, gas: 200_000n, ...fields } as never)
  )
  const isBefore = !atLeast(fork, "regolith")
  return [
    deposit(1, number, {
      from: DEPOSITOR,
      to: L1_BLOCK,
      data: attributes(fork, number, l1Hash),
      ...(isBefore ? { isSystemTx: true, gas: 150_000_000n } : {})
    }),
    deposit(0, 10 * number, { to: "0x1111111111111111111111111111111111111111", mint: 10n ** 18n, value: 10n ** 17n }),
    deposit(0, 10 * number + 1, { data: CREATES }),
    deposit(0, 10 * number + 2, { data: FAILS }),
    ...(await Promise.all(raw))
  ]
}

/** The account at which programs are called. It is absent in the chain, and each call gives it its code. */
const PROGRAM = "0xc0de00000000000000000000000000000000c0de"

/** Code that calls a precompiled contract with the call's input, and returns the success and what came back. */
const calling = (address: number): Hex =>
  concat(["0x365f5f375f5f365f61", u(address, 2), "0x5afa5f523d5f60203e3d602001", "0x5ff3"])

/** Code that returns words, each the result of some instructions. */
const words = (...all: ReadonlyArray<Hex>): Hex =>
  concat([
    ...all.flatMap((code, at) => [code, concat(["0x61", u(32 * at, 2), "0x52"])]),
    "0x61",
    u(32 * all.length, 2),
    "0x5ff3"
  ])

/** A valid signature over P-256: hash, r, s, x and y. */
const p256 = (): Hex => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const message = Buffer.from("a message")
  const signature = sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
  const { x, y } = publicKey.export({ format: "jwk" })
  const key = [x!, y!].map((text) => toHex(Buffer.from(text, "base64url")))
  return concat([sha256(toHex(message)), toHex(signature), ...key])
}

/** Inputs of precompiled contracts. */
const INPUTS = {
  0x02: "0x616263",
  0x05: concat([u(1, 32), u(1, 32), u(1, 32), "0x030507"]),
  0x08: pad("0x", { size: 192 }),
  0x0b: pad("0x", { size: 256 })
} as const

interface Call {
  readonly name: string
  readonly since: Fork
  readonly code: Hex
  readonly data?: Hex
}

const calls: ReadonlyArray<Call> = [
  // number, time, gas limit, base fee, chain, coinbase, prevRandao, hash of the parent, price, origin
  {
    name: "block",
    since: "canyon",
    code: words("0x43", "0x42", "0x45", "0x48", "0x46", "0x41", "0x44", "0x6001430340", "0x3a", "0x32")
  },
  {
    name: "state",
    since: "canyon",
    code: words(
      concat(["0x73", account.address, "0x31"]),
      concat(["0x73", PASSER, "0x3b"]),
      concat(["0x73", PASSER, "0x3f"])
    )
  },
  // the base fee of blobs, and a word of transient storage
  { name: "cancun", since: "ecotone", code: words("0x4a", "0x602a60015d60015c") },
  { name: "push0", since: "canyon", code: words("0x5f") },
  { name: "0x02", since: "canyon", code: calling(0x02), data: INPUTS[0x02] },
  { name: "0x05", since: "canyon", code: calling(0x05), data: INPUTS[0x05] },
  { name: "0x08", since: "canyon", code: calling(0x08), data: INPUTS[0x08] },
  { name: "0x0b", since: "isthmus", code: calling(0x0b), data: INPUTS[0x0b] },
  { name: "clz", since: "karst", code: words("0x60011e") },
  ...([0x02, 0x05, 0x08, 0x0b, 0x100] as const).map((address): Call => ({
    name: `gas of ${toHex(address)}`,
    since: address === 0x0b ? "isthmus" : "canyon",
    code: concat(["0x365f5f37", words(concat(["0x5a5f5f365f61", u(address, 2), "0x5afa505a9003"]))]),
    data: address === 0x100 ? p256() : INPUTS[address]
  })),
  { name: "0x100", since: "canyon", code: calling(0x100), data: p256() }
]

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

const base64 = (value: string | Buffer): string => Buffer.from(value).toString("base64url")

const record = async (binary: string, fork: Fork) => {
  const folder = mkdtempSync(path.join(tmpdir(), "op-geth-"))
  const secret = randomBytes(32)
  const file = (name: string, content: string): string => {
    writeFileSync(path.join(folder, name), content)
    return path.join(folder, name)
  }
  const json = file("genesis.json", JSON.stringify(genesis(fork)))
  const jwt = file("jwt", secret.toString("hex"))
  const init = spawnSync(binary, ["init", "--datadir", folder, "--state.scheme=hash", json], { encoding: "utf8" })
  if (init.status !== 0) throw new Error(init.stderr)
  const [http, auth] = [await freePort(), await freePort()]
  const node = spawn(
    binary,
    [
      "--datadir",
      folder,
      "--gcmode",
      "archive",
      "--syncmode",
      "full",
      "--nodiscover",
      "--maxpeers",
      "0",
      "--port",
      "0",
      "--ipcdisable",
      "--http",
      "--http.port",
      String(http),
      "--http.api",
      "eth,debug",
      "--authrpc.port",
      String(auth),
      "--authrpc.jwtsecret",
      jwt
    ],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  let log = ""
  node.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString()
  })
  const ask = async (method: string, ...params: ReadonlyArray<unknown>): Promise<any> => {
    const head = base64(JSON.stringify({ alg: "HS256", typ: "JWT" }))
    const body = base64(JSON.stringify({ iat: Math.floor(Date.now() / 1000) }))
    const mac = base64(createHmac("sha256", secret).update(`${head}.${body}`).digest())
    const response = await fetch(`http://127.0.0.1:${method.startsWith("engine_") ? auth : http}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${head}.${body}.${mac}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result } = (await response.json()) as { readonly error?: { readonly message: string }; result: any }
    if (error !== undefined) throw new Error(`${fork} ${method}: ${error.message}\n${log.slice(-2000)}`)
    return result
  }
  try {
    for (let i = 0; ; i++) {
      const started = await ask("eth_chainId").then(
        () => true,
        () => false
      )
      if (started) break
      if (i > 200) throw new Error(`op-geth does not answer\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const [updated, sent] = atLeast(fork, "isthmus") ? [3, 4] : atLeast(fork, "ecotone") ? [3, 3] : [2, 2]
    const got = atLeast(fork, "karst") ? 5 : sent
    let parent = await ask("eth_getBlockByNumber", "0x0", false)
    const blocks = []
    for (const number of [1, 2]) {
      const state = { headBlockHash: parent.hash, safeBlockHash: parent.hash, finalizedBlockHash: parent.hash }
      const { payloadId, payloadStatus } = await ask(`engine_forkchoiceUpdatedV${updated}`, state, {
        timestamp: toHex(0x65000000 + 2 * number),
        prevRandao: pad(toHex(number), { size: 32 }),
        suggestedFeeRecipient: "0x4200000000000000000000000000000000000011",
        transactions: await transactions(fork, number),
        noTxPool: true,
        gasLimit: "0x1c9c380",
        ...(atLeast(fork, "canyon") ? { withdrawals: [] } : {}),
        ...(atLeast(fork, "ecotone") ? { parentBeaconBlockRoot: pad("0xbe", { size: 32 }) } : {}),
        ...(atLeast(fork, "holocene") ? { eip1559Params: "0x000000fa00000006" } : {}),
        ...(atLeast(fork, "jovian") ? { minBaseFee: 0 } : {})
      })
      if (payloadId === null) throw new Error(`${fork}: ${JSON.stringify(payloadStatus)}`)
      const { executionPayload } = await ask(`engine_getPayloadV${got}`, payloadId)
      const beacon = sent >= 3 ? [[], pad("0xbe", { size: 32 })] : []
      const status = await ask(`engine_newPayloadV${sent}`, executionPayload, ...beacon, ...(sent === 4 ? [[]] : []))
      if (status.status !== "VALID") throw new Error(`${fork}: ${JSON.stringify(status)}`)
      const head = { ...state, headBlockHash: executionPayload.blockHash }
      await ask(`engine_forkchoiceUpdatedV${updated}`, head, null)
      parent = await ask("eth_getBlockByHash", executionPayload.blockHash, true)
      blocks.push({
        block: parent,
        receipts: await ask("eth_getBlockReceipts", executionPayload.blockHash),
        rawBlock: await ask("debug_getRawBlock", toHex(number)),
        rawReceipts: await ask("debug_getRawReceipts", toHex(number))
      })
    }
    const answers = []
    for (const { code, data = "0x", name, since } of calls) {
      if (!atLeast(fork, since)) continue
      const result = await ask("eth_call", { to: PROGRAM, data }, "0x2", { [PROGRAM]: { code } })
      answers.push({ name, code, data, result })
    }
    const proofs: Record<string, unknown> = {}
    const codes: Record<string, unknown> = {}
    for (const address of [
      PROGRAM,
      account.address.toLowerCase(),
      PASSER,
      ...[0, 0x02, 0x05, 0x08, 0x0b, 0x100].map((at) => u(at, 20))
    ]) {
      proofs[address] = await ask("eth_getProof", address, [], "0x2")
      codes[address] = await ask("eth_getCode", address, "0x2")
    }
    return { fork, blocks, calls: { program: PROGRAM, answers, proofs, codes } }
  } finally {
    node.kill()
    await new Promise((resolve) => node.once("exit", resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

const [binary] = process.argv.slice(2)
if (binary === undefined) throw new Error("usage: node opStackChain.ts <op-geth>")
const chains = []
for (const fork of RECORDED) chains.push(await record(binary, fork))
const out = path.resolve(import.meta.dirname, "../test/support/opStackChain.json.gz")
writeFileSync(out, gzipSync(JSON.stringify(chains), { level: 9 }))
