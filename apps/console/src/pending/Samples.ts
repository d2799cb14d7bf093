/**
 * Transactions for the embedded pool, so that a fresh service has a list to look at.
 *
 * They were hashed and signed with starknet.js, by accounts whose keys are public. They are valid for the chain
 * `PLPOOL` alone, because each hash covers the id of the chain. The pool accepts each transaction once.
 */

/** The name of the chain that accepts the transactions. */
export const CHAIN = "PLPOOL"

/** The fields that all these transactions of version 3 share. */
const V3 = {
  version: "0x3",
  resource_bounds: {
    l1_gas: { max_amount: "0x0", max_price_per_unit: "0x0" },
    l1_data_gas: { max_amount: "0x80", max_price_per_unit: "0x3b9aca00" },
    l2_gas: { max_amount: "0xf4240", max_price_per_unit: "0x2540be400" }
  },
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1"
}

/** The transactions, in the order in which they are sent. */
export const transactions: ReadonlyArray<{ readonly type: string } & Readonly<Record<string, unknown>>> = [
  {
    type: "INVOKE",
    sender_address: "0x24ffd08c805a8f3cdb7167d326e3b521ab3046392daef1711dfec1535864783",
    calldata: ["0x1", "0x1234", "0x5678", "0x2", "0x9", "0xa"],
    nonce: "0x0",
    ...V3,
    tip: "0x0",
    account_deployment_data: [],
    signature: [
      "0x108bb8c291c765b1be42c4f94a445fd2198adf7d2891c83547b31967735515c",
      "0x23992c08ed4a5a00b231791389b52cb0cd41257cae5c111c2bc9770e2831cff"
    ]
  },
  {
    type: "INVOKE",
    sender_address: "0x24ffd08c805a8f3cdb7167d326e3b521ab3046392daef1711dfec1535864783",
    calldata: ["0x1", "0x1234", "0x5678", "0x2", "0x9", "0xa"],
    nonce: "0x1",
    ...V3,
    tip: "0x5f5e100",
    account_deployment_data: [],
    signature: [
      "0x1993171709d213ddebfdd7706160c4d366da6c626997d5fc177e3b6855cf67b",
      "0x2fc4914d48230105f7b3b5ea96cb5c8cf8599f0289c918799aae665d3d8d7b0"
    ]
  },
  {
    type: "INVOKE",
    version: "0x1",
    sender_address: "0x50cb0289eb6283a1701b1b5708d3e3a70a97c8dd9577e69621bc756f1a2888b",
    calldata: ["0x1", "0x1234", "0x5678", "0x2", "0x9", "0xa"],
    nonce: "0x0",
    max_fee: "0x2386f26fc10000",
    signature: [
      "0x71de345bf47d3322711ddd2e5ba3e0b7beddc07ca175520df3261416dbfb98b",
      "0x3461d3f5c69958a5fa8843bdc2a85aacba536ad8e187420e5dfe3c65bf7dc6c"
    ]
  },
  {
    type: "DEPLOY_ACCOUNT",
    nonce: "0x0",
    class_hash: "0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564",
    contract_address_salt: "0x6225fbc95684f42d89699507b8fc0948e56eb3919296cd7eb1e89806109a76a",
    constructor_calldata: ["0x6225fbc95684f42d89699507b8fc0948e56eb3919296cd7eb1e89806109a76a"],
    ...V3,
    tip: "0x0",
    signature: [
      "0x2605387d9c9f69f9369554fe5aea4e354a333b03f42b340088293e7aae3f7e8",
      "0x55598a4ea906968592863c20889481c27f9109dbc66fe2212a029f2592d3722"
    ]
  },
  {
    type: "INVOKE",
    sender_address: "0x17eb625ee89109522213aa994edb51cfa4455e7728ab1927360636546cb7149",
    calldata: [
      "0x1000",
      "0x1025",
      "0x104a",
      "0x106f",
      "0x1094",
      "0x10b9",
      "0x10de",
      "0x1103",
      "0x1128",
      "0x114d",
      "0x1172",
      "0x1197",
      "0x11bc",
      "0x11e1",
      "0x1206",
      "0x122b",
      "0x1250",
      "0x1275",
      "0x129a",
      "0x12bf",
      "0x12e4",
      "0x1309",
      "0x132e",
      "0x1353"
    ],
    nonce: "0x0",
    ...V3,
    tip: "0x0",
    account_deployment_data: [],
    signature: [
      "0x4e5f68472762aad8fd054a8177489e7802ba8be141deaa6e555a47c0f47898f",
      "0x5f24a520288cd9e8055c054981d969b334d36462a6756d804d137a7f4924fb8"
    ]
  },
  {
    type: "DEPLOY_ACCOUNT",
    nonce: "0x0",
    class_hash: "0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564",
    contract_address_salt: "0x75c3b83882e1da27bd9770b22dfd1838c95d8204a742fd68d767b9bc88bf483",
    constructor_calldata: ["0x75c3b83882e1da27bd9770b22dfd1838c95d8204a742fd68d767b9bc88bf483"],
    version: "0x1",
    max_fee: "0x1",
    signature: [
      "0x5fd228ba11b78e8e21715f0a9b044bb170760484a4f9ead1ea458bb66ce19b",
      "0x4e1f638ef9e9dfe0147606a0d5ff448f04052fac1e5256181dbcdf6f7170053"
    ]
  }
]

/** The hashes of the transactions, as starknet.js computes them. */
export const hashes: ReadonlyArray<string> = [
  "0x18f989ecbe60fb7987511d8e75b4f70cbcdba846b8c6f93e867fc5b4d58cb22",
  "0x4b18e9d975606c08efcc06ef902e7a2663790ca30e497fc7f6bf2ff14d9a6ce",
  "0x1dc40e48cfca145e2702c5d89e125955cd366c694ad8e64779a29808d410fde",
  "0x717595c111e61c57bcde9c4343f936f0f2f355d8f680c2b263d8f52661be71",
  "0x6e7c492ed7deed900e22b281e09a40031d86703bcf2924362f292a59c7b8f4",
  "0x53a803715ee8be468044b29415f7c7262a83303d72933ded747cff4159e4c48"
]

/** Sends all transactions. Returns the number that the pool accepted, or a sentence that says why nothing was sent. */
export const send = async (url: string): Promise<number | string> => {
  let taken = 0
  for (const [at, transaction] of transactions.entries()) {
    const isInvoke = transaction.type === "INVOKE"
    const body = {
      jsonrpc: "2.0",
      id: at,
      method: isInvoke ? "starknet_addInvokeTransaction" : "starknet_addDeployAccountTransaction",
      params: [transaction]
    }
    let answer: { readonly result?: unknown; readonly error?: { readonly message?: unknown } } | undefined
    let status = 0
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000)
      })
      status = response.status
      answer = await response.json()
    } catch {
      // if the answer is not JSON, its status is reported
    }
    if (answer?.result !== undefined) taken++
    else if (status === 401 || status === 404) return "The key is not accepted."
    else if (status !== 200) return `The service refused: HTTP ${status}.`
  }
  return taken
}
