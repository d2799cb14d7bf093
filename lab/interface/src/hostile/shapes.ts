/**
 * Hostile packets: every place of a packet that a caller can fill without limit, with every filling that takes longer
 * to read than its size suggests.
 *
 * A place is a packet with one gap; a filling is a list of items for the gap. A seed makes further packets, which mix
 * several places and fillings at random.
 */

/** A packet of about `size` bytes, for a network. */
export interface Shape {
  readonly family: string
  readonly name: string
  readonly network: "live" | "history" | "pool"
  readonly make: (size: number) => string
}

/** Returns one of the items that fill a place, by its number. Items differ if that matters. */
type Filling = (index: number) => string

const hex = (bytes: number, index: number): string => `"0x${index.toString(16).padStart(2 * bytes, "0")}"`
const ADDRESS = `"0x${"cd".repeat(20)}"`

/** Elements of arrays. */
const elements: Readonly<Record<string, Filling>> = {
  "[]": () => "[]",
  "{}": () => "{}",
  "0": () => "0",
  null: () => "null",
  '""': () => '""',
  "new names": (index) => `{"k${index}":0}`,
  "twenty new names": (index) => `{${Array.from({ length: 20 }, (_, at) => `"k${index}_${at}":0`).join(",")}}`,
  addresses: (index) => hex(20, index),
  hashes: (index) => hex(32, index),
  "short hex": () => '"0x0"',
  floats: (index) => `${index % 100}.5e-3`,
  "long digits": (index) => `${index}${"7".repeat(400)}`,
  escapes: (index) => `"\\u0061\\u00e9\\n${index}"`,
  "quotes in strings": () => `"${'\\"'.repeat(40)}"`,
  nested: () => `${"[".repeat(40)}${"]".repeat(40)}`,
  calls: (index) => `{"jsonrpc":"2.0","id":${index},"method":"eth_chainId","params":[]}`
}

/** Members of objects. */
const members: Readonly<Record<string, Filling>> = {
  "new names": (index) => `"k${index}":0`,
  "addresses to {}": (index) => `${hex(20, index)}:{}`,
  "addresses to []": (index) => `${hex(20, index)}:[]`,
  "addresses to a balance": (index) => `${hex(20, index)}:{"balance":"0x1"}`,
  "hashes to hashes": (index) => `${hex(32, index)}:${hex(32, index)}`,
  "one name": () => '"address":[]',
  "names of numbers": (index) => `"${index * 7919}":0`,
  "escaped names": (index) => `"\\u006b${index}":0`,
  __proto__: () => '"__proto__":{}'
}

const repeat = (filling: Filling, size: number): string => {
  const parts: Array<string> = []
  for (let index = 0, length = 0; length < size; index++) {
    const part = filling(index)
    parts.push(part)
    length += part.length + 1
  }
  return parts.join(",")
}

const call = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

/**
 * Arrays in a packet to which a caller can add any number of elements: the packet itself, the parameters of a request,
 * and the parameters that are lists.
 */
const arrays: ReadonlyArray<readonly [network: Shape["network"], name: string, place: (filling: string) => string]> = [
  ["live", "a batch", (x) => `[${x}]`],
  ["live", "params", (x) => call("eth_chainId", `[${x}]`)],
  ["live", "params of an unknown method", (x) => call("eth_nothing", `[${x}]`)],
  ["live", "the id", (x) => `{"jsonrpc":"2.0","id":[${x}],"method":"eth_chainId"}`],
  ["live", "a member that no request has", (x) => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","more":[${x}]}`],
  ["live", "address of a filter", (x) => call("eth_getLogs", `[{"address":[${x}]}]`)],
  ["live", "topics", (x) => call("eth_getLogs", `[{"topics":[${x}]}]`)],
  ["live", "alternatives of a topic", (x) => call("eth_getLogs", `[{"topics":[[${x}]]}]`)],
  ["live", "topics of a subscription", (x) => call("eth_subscribe", `["logs",{"topics":[${x}]}]`)],
  ["live", "kind of a subscription", (x) => call("eth_subscribe", `[[${x}]]`)],
  ["live", "storage keys", (x) => call("eth_getProof", `[${ADDRESS},[${x}],"latest"]`)],
  ["live", "slots of an account", (x) => call("eth_getStorageValues", `[{${ADDRESS}:[${x}]},"latest"]`)],
  ["live", "percentiles", (x) => call("eth_feeHistory", `["0x400","latest",[${x}]]`)],
  ["live", "access list", (x) => call("eth_call", `[{"to":${ADDRESS},"accessList":[${x}]},"latest"]`)],
  [
    "live",
    "keys of an access list",
    (x) => call("eth_estimateGas", `[{"accessList":[{"address":${ADDRESS},"storageKeys":[${x}]}]},"latest"]`)
  ],
  ["live", "blobs", (x) => call("eth_call", `[{"blobs":[${x}]},"latest"]`)],
  ["live", "where a hash stands", (x) => call("eth_getBlockByHash", `[[${x}],true]`)],
  ["history", "address of a filter of all blocks", (x) => logs(`"address":[${x}]`)],
  ["history", "topics of a filter of all blocks", (x) => logs(`"topics":[[${x}]]`)],
  [
    "pool",
    "calldata",
    (x) => call("starknet_call", `[{"contract_address":"0x1","entry_point_selector":"0x1","calldata":[${x}]},"latest"]`)
  ],
  ["pool", "what is refused anyhow", (x) => call("starknet_estimateFee", `[[${x}]]`)],
  [
    "pool",
    "signature",
    (x) => call("starknet_addInvokeTransaction", `[{"type":"INVOKE","version":"0x3","signature":[${x}]}]`)
  ]
]

const logs = (filter: string): string => call("eth_getLogs", `[{"fromBlock":"0x0","toBlock":"latest",${filter}}]`)

/** Objects in a packet to which a caller can add any number of members. */
const objects: typeof arrays = [
  ["live", "a request", (x) => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId",${x}}`],
  ["live", "no request", (x) => `{${x}}`],
  ["live", "params by name", (x) => call("eth_getBalance", `{${x}}`)],
  ["live", "a filter", (x) => call("eth_getLogs", `[{${x}}]`)],
  ["live", "a call", (x) => call("eth_call", `[{${x}},"latest"]`)],
  ["live", "overrides of state", (x) => call("eth_call", `[{"to":${ADDRESS}},"latest",{${x}}]`)],
  [
    "live",
    "slots of an override",
    (x) => call("eth_call", `[{"to":${ADDRESS}},"latest",{${ADDRESS}:{"stateDiff":{${x}}}}]`)
  ],
  ["live", "overrides of the block", (x) => call("eth_call", `[{"to":${ADDRESS}},"latest",{},{${x}}]`)],
  ["live", "accounts of slots", (x) => call("eth_getStorageValues", `[{${x}},"latest"]`)],
  ["live", "a block", (x) => call("eth_getBalance", `[${ADDRESS},{${x}}]`)],
  ["pool", "a transaction", (x) => call("starknet_addInvokeTransaction", `[{"type":"INVOKE","version":"0x3",${x}}]`)]
]

/** Packets with one text of any length. The text has no structure. */
const texts: ReadonlyArray<readonly [name: string, make: (size: number) => string]> = [
  ["one string", (size) => call("eth_sendRawTransaction", `["0x${"ab".repeat(size / 2)}"]`)],
  ["one string that is wrong at its end", (size) => call("eth_sendRawTransaction", `["0x${"ab".repeat(size / 2)}x"]`)],
  ["a quantity", (size) => call("eth_getTransactionByBlockHashAndIndex", `[${hex(32, 1)},"0x${"f".repeat(size)}"]`)],
  ["a number of a block", (size) => call("eth_getBlockByNumber", `["0x${"f".repeat(size)}",true]`)],
  ["digits", (size) => call("eth_feeHistory", `["0x1","latest",[${"1".repeat(size)}]]`)],
  ["digits of a fraction", (size) => call("eth_feeHistory", `["0x1","latest",[0.${"1".repeat(size)}]]`)],
  ["an id of digits", (size) => `{"jsonrpc":"2.0","id":${"9".repeat(size)},"method":"eth_chainId"}`],
  ["an id of escapes", (size) => `{"jsonrpc":"2.0","id":"${"\\u0061".repeat(size / 6)}","method":"eth_chainId"}`],
  ["a method", (size) => `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(size)}"}`],
  ["a name", (size) => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","${"x".repeat(size)}":1}`],
  ["escapes", (size) => call("eth_chainId", `["${"\\u0061".repeat(size / 6)}"]`)],
  ["escaped quotes", (size) => call("eth_chainId", `["${'\\"'.repeat(size / 2)}"]`)],
  ["backslashes", (size) => call("eth_chainId", `["${"\\\\".repeat(size / 2)}"]`)],
  ["no ASCII", (size) => call("eth_chainId", `["${"é".repeat(size / 2)}"]`)],
  ["three bytes each", (size) => call("eth_chainId", `["${"漢".repeat(size / 3)}"]`)],
  ["white space", (size) => " ".repeat(size)],
  ["white space in a call", (size) => `{"jsonrpc":"2.0",${" ".repeat(size)}"id":1,"method":"eth_chainId"}`],
  ["a string without an end", (size) => `["${"\\\\".repeat(size / 2)}`],
  ["brackets", (size) => "[".repeat(size)],
  ["commas", (size) => `[${",".repeat(size)}`],
  ["colons", (size) => `{"id"${":".repeat(size)}`]
]

/** The largest batches that a caller may send. They exceed no limit. */
const largest: ReadonlyArray<Shape> = (
  [
    ["live", "1000 calls", () => call("eth_chainId", "[]")],
    ["live", "1000 unknown methods", (i) => call(`eth_x${i}`, "[]")],
    ["live", "1000 that are none", () => "1"],
    ["live", "1000 calls of 5 kB of []", () => call("eth_chainId", `[${repeat(() => "[]", 5000)}]`)],
    [
      "live",
      "1000 calls of 5 kB of new names",
      (i) => call("eth_chainId", `[{${repeat((k) => `"k${i}_${k}":0`, 5000)}}]`)
    ],
    [
      "live",
      "1000 filters of 100 addresses",
      (i) => call("eth_getLogs", `[{"address":[${repeat((k) => hex(20, i * 100 + k), 4500)}]}]`)
    ],
    [
      "live",
      "1000 overrides of 90 accounts",
      (i) => call("eth_call", `[{},"latest",{${repeat((k) => `${hex(20, i * 100 + k)}:{}`, 4500)}}]`)
    ],
    [
      "history",
      "1000 filters of 100 addresses, of all blocks",
      (i) => logs(`"address":[${repeat((k) => hex(20, i * 100 + k), 4500)}]`)
    ],
    ["history", "1000 blocks of 130 transactions", () => call("eth_getBlockByNumber", '["0x14",true]')],
    ["history", "1000 times the receipts of 130 transactions", () => call("eth_getBlockReceipts", '["0x14"]')],
    [
      "history",
      "1000 histories of fees",
      () => call("eth_feeHistory", `["0x400","latest",[${Array.from({ length: 100 }, (_, n) => n).join(",")}]]`)
    ],
    [
      "history",
      "1000 proofs of 60 keys",
      (i) => call("eth_getProof", `[${ADDRESS},[${repeat((k) => hex(32, i * 100 + k), 4200)}],"latest"]`)
    ],
    ["pool", "1000 times what is pending", () => call("starknet_pendingTransactions", "[]")]
  ] as const satisfies ReadonlyArray<readonly [Shape["network"], string, Filling]>
).map(([network, name, filling]) => ({
  family: "the largest that is allowed",
  name,
  network,
  make: () => `[${Array.from({ length: 1000 }, (_, index) => filling(index)).join(",")}]`
}))

/** All shapes that are not random: each place with each filling that fits it, long texts, and the largest batches. */
export const all: ReadonlyArray<Shape> = [
  ...arrays.flatMap(([network, family, place]) =>
    Object.entries(elements).map(([name, filling]) => ({
      family,
      name,
      network,
      make: (size: number) => place(repeat(filling, size))
    }))
  ),
  ...objects.flatMap(([network, family, place]) =>
    Object.entries(members).map(([name, filling]) => ({
      family,
      name,
      network,
      make: (size: number) => place(repeat(filling, size))
    }))
  ),
  ...texts.map(([name, make]) => ({ family: "one long text", name, network: "live" as const, make })),
  ...largest
]

/** Returns packets that mix places and fillings at random, each with a random size. */
export const mixed = (random: () => number, count: number): ReadonlyArray<Shape> => {
  const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(random() * items.length)]!
  return Array.from({ length: count }, (_, at) => {
    const network = pick(["live", "live", "history"] as const)
    const own = [...arrays, ...objects].filter(([of]) => of === network)
    const parts = Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
      const [, family, place] = pick(own)
      const list = objects.some(([, name]) => name === family) ? members : elements
      const [name, filling] = pick(Object.entries(list))
      return { name: `${family}: ${name}`, place, filling, share: random() }
    })
    const shares = parts.reduce((sum, { share }) => sum + share, 0)
    return {
      family: "mixed at random",
      name: `number ${at}: ${parts.length} messages, of them ${parts[0]!.name}`,
      network,
      make: (size: number) =>
        `[${parts.map(({ filling, place, share }) => place(repeat(filling, (size * share) / shares))).join(",")}]`
    }
  })
}
