import { assert, describe, it } from "@effect/vitest"
import { RemoteKind } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"

import * as RandomJson from "../support/randomJson.ts"

type Message = readonly [code: number, message: string, status?: number]

/** Real errors of servers, each with the server software and the source of its text. */
const said: ReadonlyArray<readonly [source: string, kind: RemoteKind.RemoteKind, messages: ReadonlyArray<Message>]> = [
  // errors about limits that end after some time
  [
    "Infura: docs.infura.io, avoid rate limiting",
    "rateLimited",
    [
      [-32005, "project ID request rate exceeded", 429],
      [-32005, "project ID request rate exceeded"]
    ]
  ],
  ["Infura since 2024: docs.metamask.io, alloy transport/src/error.rs", "rateLimited", [[429, "Too Many Requests"]]],
  ["Infura in MetaMask: safe-wallet-monorepo#7939", "rateLimited", [[-32005, "Request is being rate limited."]]],
  [
    "Alchemy with HTTP 200: viem#3680, op-mainnet-error-codes, Synthetixio/kwenta#40",
    "rateLimited",
    [
      [
        429,
        "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput"
      ],
      [
        429,
        "Your app has exceeded its concurrent requests capacity. If you have retries enabled, you can safely ignore this message."
      ]
    ]
  ],
  [
    "Alchemy over WebSocket: ithacaxyz/relay#1352, alloy response/error.rs",
    "rateLimited",
    [
      [
        1008,
        "You have exceeded the maximum number of concurrent requests on a single WebSocket. At most 200 concurrent requests are allowed per WebSocket."
      ]
    ]
  ],
  [
    "QuickNode with HTTP 200: viem#5082 and #5084, foundry#4894, foundry#6712, quicknode.com error references",
    "rateLimited",
    [
      [
        -32007,
        "50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com/billing/plan"
      ],
      [-32007, "endpoint hit 30/second request limit reached - reduce calls per second"],
      [-32012, "credits limited to 6000/sec"],
      [429, "The requests per second (RPS) of your requests are higher than your plan allows."]
    ]
  ],
  ["ZAN: starknet.js#1651", "rateLimited", [[-32011, "cu limit exceeded; Request too fast per second"]]],
  ["Arc: circlefin/arc-node#207", "rateLimited", [[-32011, "request limit reached"]]],
  [
    "Chainstack: dank_mids structs.py",
    "rateLimited",
    [[-32005, "You've exceeded the RPS limit available on the current plan."]]
  ],
  [
    "proxyd: backend.go",
    "rateLimited",
    [
      [-32016, "over rate limit", 429],
      [-32017, "sender is over rate limit", 429],
      [-32012, "backend is over capacity", 429],
      [-32024, "too many requests", 429]
    ]
  ],
  [
    "Base through another node: base/node#368",
    "rateLimited",
    [
      [
        -32000,
        '429 Too Many Requests: {"jsonrpc":"2.0","error":{"code":-32016,"message":"over rate limit"},"id":2239375}\n'
      ]
    ]
  ],
  [
    "Nethermind: RpcModulePool",
    "rateLimited",
    [[-32005, "Unable to start new queued requests for IEthRpcModule. Too many queued requests. Queued calls 501."]]
  ],
  ["alloy response/error.rs", "rateLimited", [[-32005, "rate limited, try again in 4ms"]]],
  ["EIP-1474, BSC", "rateLimited", [[-32005, "limit exceeded"]]],
  ["LlamaNodes behind Cloudflare: eRPC llama.go", "rateLimited", [[-32000, "error code: 1015"]]],
  ["a limit that only the status tells", "rateLimited", [[-32600, "please slow down a little", 429]]],

  // errors about limits for which waiting does not help
  [
    "Infura: daily limits",
    "quotaExceeded",
    [
      [-32005, "daily request count exceeded, request rate limited", 429],
      [402, "Payment Required", 402]
    ]
  ],
  [
    "Alchemy: ethers#5071, xmtpd#672, a16z/zkdocs#9",
    "quotaExceeded",
    [
      [429, "Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade", 429],
      [-32600, "Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing", 403],
      [-32000, "Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing"]
    ]
  ],

  // keys
  [
    "Infura: rejections",
    "unauthorized",
    [
      [-32002, "rejected due to project ID settings", 403],
      [-32600, "invalid project id", 401],
      [-32600, "project id required in the url"]
    ]
  ],
  [
    "Alchemy: kleros-v2#1100, eRPC alchemy.go",
    "unauthorized",
    [
      [-32000, "App is inactive"],
      [-32600, "Must be authenticated!"]
    ]
  ],
  ["dRPC: eRPC drpc.go", "unauthorized", [[4, "token is invalid"]]],
  [
    "Chainnodes, Besu, eRPC",
    "unauthorized",
    [
      [401, "invalid api key"],
      [-40100, "Unauthorized"],
      [-32016, "unauthorized"]
    ]
  ],

  // batches
  ["geth: rpc/errors.go", "batchTooLarge", [[-32600, "batch too large"]]],
  ["proxyd: backend.go", "batchTooLarge", [[-32014, "too many RPC calls in batch request", 413]]],
  [
    "jsonrpsee: types/src/error.rs",
    "batchTooLarge",
    [
      [-32010, "The batch request was too large"],
      [-32005, "Batched requests are not supported by this server"]
    ]
  ],
  [
    "servers without batches, in their words",
    "batchTooLarge",
    [
      [-32000, "batching is disabled"],
      [-32600, "batch requests are disabled"],
      [-32600, "Batch requests are not enabled"],
      [-32600, "unsupported batch request"]
    ]
  ],
  ["Besu: RpcErrorType.java", "batchTooLarge", [[-32005, "Number of requests exceeds max batch size"]]],
  ["Gnosis and Polygon: ethers#4128", "batchTooLarge", [[-32600, 'Too many ["eth_getLogs"] methods in the batch']]],
  [
    "dRPC: blockscout#14211",
    "batchTooLarge",
    [
      [
        31,
        "Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org"
      ]
    ]
  ],
  [
    "Erigon: dank_mids structs.py",
    "batchTooLarge",
    [[-32000, "batch limit 100 exceeded (can increase by --rpc.batch.limit)"]]
  ],

  // errors about questions and answers that exceed a limit
  [
    "geth",
    "tooLarge",
    [
      [-32003, "response too large"],
      [-32602, "too many storage keys requested (max 1024, got 2000)"],
      [-32000, "exceed max addresses or topics per search position"],
      [-32000, "exceed max topics"],
      [-38026, "too many blocks"]
    ]
  ],
  [
    "Infura: eth_getLogs, INFURA/infura#237, eRPC",
    "tooLarge",
    [
      [-32005, "query returned more than 10000 results"],
      [-32602, "range 1000000 exceeds limit of 10000"],
      [-32602, "This query contains 6000 filters. The current limit is 5000."]
    ]
  ],
  [
    "Alchemy: go-ethereum#25343, cartesi/rollups-node#655, hyperindex#716",
    "tooLarge",
    [
      [
        -32602,
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response."
      ],
      [
        -32600,
        "You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x7e9b85, 0x7e9d78]"
      ],
      [-32600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."],
      [-32000, "block range too large (2500), maximum allowed is 2000 blocks"]
    ]
  ],
  ["QuickNode: arbitrum-sdk#609", "tooLarge", [[-32614, "eth_getLogs is limited to a 10,000 range", 413]]],
  [
    "foundry#12687: reth, dRPC, BlockPI",
    "tooLarge",
    [
      [-32602, "query exceeds max block range 100000"],
      [-32602, "query exceeds max results 20000, retry with the range 23879634-23879696"],
      [-32603, "eth_getLogs range is too large, max is 1k blocks"],
      [35, "ranges over 10000 blocks are not supported on freetier"],
      [-32602, "eth_getLogs is limited to 1024 block range. Please check the parameter requirements"]
    ]
  ],
  [
    "Ankr and others: ponder#1940, ydata#69, hyperindex#605, MASQ-Node-issues#585, alpha-wallet-ios#5277, origin#2378",
    "tooLarge",
    [
      [-32000, "maximum [from, to] blocks distance: 10000"],
      [-32600, "block range is too wide"],
      [-32000, "block range is larger than max block range, block range = 5120, max block range = 5000"],
      [-32005, "eth_getLogs block range too large, range: 855077, max: 3500"],
      [-32600, "block range too high"],
      [-32000, "exceed maximum block range: 5000"],
      [-32005, "Limit exceeded: Query requested more than 10.000 blocks"]
    ]
  ],
  [
    "Besu: RpcErrorType.java",
    "tooLarge",
    [
      [-32005, "Requested range exceeds maximum RPC range limit"],
      [-38004, "Too large request"]
    ]
  ],
  [
    "jsonrpsee: types/src/error.rs",
    "tooLarge",
    [
      [-32007, "Request is too big"],
      [-32008, "Response is too big"],
      [-32011, "The batch response was too large"],
      [-32006, "Too many subscriptions on the connection"]
    ]
  ],
  [
    "proxyd: backend.go",
    "tooLarge",
    [
      [-32020, "backend response too large", 500],
      [-32021, "request body too large", 413]
    ]
  ],
  ["eRPC: error_normalizer.go", "tooLarge", [[-32012, "request exceeded max allowed range: too wide"]]],

  // timeouts
  [
    "geth",
    "timedOut",
    [
      [-32002, "request timed out"],
      [-32000, "execution aborted (timeout = 5s)"],
      [-32000, "execution timeout"]
    ]
  ],
  ["Infura: eth_getLogs", "timedOut", [[-32005, "query timeout exceeded"]]],
  ["Besu: RpcErrorType.java", "timedOut", [[-32603, "Timeout expired"]]],
  ["proxyd: backend.go", "timedOut", [[-32015, "gateway timeout", 504]]],
  [
    "dRPC: hyperindex#715",
    "timedOut",
    [[30, "Request timeout on the free tier, please upgrade your tier to the paid one"]]
  ],
  ["Nethermind: ErrorCodes.cs", "timedOut", [[-32016, "eth_getLogs request was canceled due to enabled limits."]]],
  [
    "EIP-7966: geth internal/ethapi/errors.go",
    "timedOut",
    [[4, "The transaction was added to the transaction pool but wasn't processed in 30s"]]
  ],
  [
    "op-erigon#212",
    "timedOut",
    [[-32000, "failed to get L2 output at block 0x1072048d5d37:18168390: context deadline exceeded"]]
  ],

  // errors about missing blocks and objects
  [
    "geth",
    "notFound",
    [
      [-32000, "header not found"],
      [-32000, "header for hash not found"],
      [-32000, "finalized block not found"],
      [-32000, "pending state is not available"],
      [-32000, "pending block is not available"],
      [-32000, "unknown block"],
      [-32000, "transaction 0x1234 not found"],
      [-32602, "request beyond head block: requested 100, head 90"]
    ]
  ],
  [
    "reth: rpc-eth-types/src/error, storage/errors/src/provider.rs",
    "notFound",
    [
      [-32001, "block not found: 0x3b9aca00"],
      [-32001, "unknown block or tx index"],
      [-32603, "state at block #5 is not available, block has not been executed yet (latest executed: #4)"],
      [-32602, "block range extends beyond current head block: requested 10, head 9"],
      [-32603, "no header found for Number(5)"]
    ]
  ],
  [
    "Besu: RpcErrorType.java",
    "notFound",
    [
      [-39001, "Unknown block"],
      [-32000, "Block not found"],
      [-32602, "Invalid block param (block not found)"]
    ]
  ],
  ["Nethermind: BlockFinderExtensions", "notFound", [[-32000, "17000000 could not be found"]]],
  ["Alchemy near the head: eRPC alchemy.go", "notFound", [[3, "Unknown block"]]],
  ["Godwoken: godwoken-web3#446", "notFound", [[-32099, "header not found"]]],
  [
    "the proving node of @plumbline/provider: Refusal",
    "internal",
    [
      [-32099, "refuted: transactions[2].gas too low"],
      [-32097, "unavailable: the node gives no proofs: method not found"]
    ]
  ],
  [
    "the proving node of @plumbline/provider: Refusal",
    "other",
    [
      [-32098, "unproven: not supported: overrides of the state or the block"],
      [-32095, "out of bounds: it needs more than its bound of 4194304: bytes of return data"]
    ]
  ],
  [
    "EIP-1193: Provider errors",
    "unavailable",
    [
      [4900, "disconnected: connection failed"],
      [4900, "The Provider is disconnected from all chains."],
      [4901, "The Provider is not connected to the requested chain."]
    ]
  ],
  [
    "Avalanche, eRPC util.go",
    "notFound",
    [
      [-32000, "cannot query unfinalized data"],
      [-32000, "requested block number 12 is after last accepted block 11"]
    ]
  ],
  [
    "Starknet: starknet_api_openrpc.json",
    "notFound",
    [
      [24, "Block not found"],
      [29, "Transaction hash not found"],
      [20, "Contract not found"]
    ]
  ],
  ["EIP-1474", "notFound", [[-32001, "Resource not found"]]],

  // Errors about state and history that the node no longer has.
  [
    "geth",
    "pruned",
    [
      [-32000, "missing trie node 7ab3 (path ) state 0x7ab3 is not available"],
      [-32000, "historical state 02203acdaff3ded2e651dd63c59a232a088061567174dc9f50f76c71ef857a25 is not available"],
      [4444, "pruned history unavailable"]
    ]
  ],
  ["reth: reth#14952", "pruned", [[-32602, "distance to target block exceeds maximum proof window"]]],
  [
    "reth: storage/errors/src/provider.rs",
    "pruned",
    [
      [-32603, "state at block #2 is pruned"],
      [-32603, "block #5 is not available, history has expired (earliest available: #15537394)"],
      [4444, "pruned history unavailable: requested 5, earliest available 15537394"]
    ]
  ],
  [
    "Erigon: erigon#7748, op-erigon#198",
    "pruned",
    [
      [
        -32000,
        "requested block is too old, block must be within 100000 blocks of the head block number (currently 13752981)"
      ],
      [-32000, "old data not available due to pruning"]
    ]
  ],
  [
    "Nethermind: nethermind#12483, #13603, #8174, #9539",
    "pruned",
    [
      [-32002, "No state available for block 17000000 (0xabc)"],
      [-32000, "missing trie node (path ) state 0xd7f8974f"],
      [4444, "Pruned history unavailable"]
    ]
  ],
  ["Besu: RpcErrorType.java", "pruned", [[-32000, "World state unavailable"]]],
  [
    "Infura: ethers#715, ethereum-development-with-go-book#42",
    "pruned",
    [
      [-32002, "project ID does not have access to archive state", 403],
      [-32002, "project ID is required to access archive state", 403]
    ]
  ],
  ["geth: eth/api_backend.go", "notCanonical", [[-32000, "hash is not currently canonical"]]],

  // failed executions
  [
    "geth",
    "executionFailed",
    [
      [3, "execution reverted"],
      [3, "execution reverted: ERC20: transfer amount exceeds balance"],
      [-32000, "execution reverted"],
      [-32000, "gas required exceeds allowance (30000000)"],
      [-32000, "err: out of gas (supplied gas 21000)"],
      [-32000, "failed with 30000000 gas: execution reverted: paused"],
      [-32015, "insufficient gas for the precompile"]
    ]
  ],
  [
    "Hardhat",
    "executionFailed",
    [[-32603, "Error: VM Exception while processing transaction: reverted with reason string 'no'"]]
  ],
  ["Ganache", "executionFailed", [[-32000, "VM Exception while processing transaction: revert no"]]],
  ["OpenEthereum", "executionFailed", [[-32015, "VM execution error."]]],
  ["Berachain, reth: eRPC error_normalizer.go", "executionFailed", [[-32603, "EVM error: InvalidJump"]]],
  ["Monad: docs.monad.xyz", "executionFailed", [[-32603, "Execution reverted"]]],

  // transactions
  [
    "geth: core/error.go, core/txpool/errors.go",
    "transactionRejected",
    [
      [-32000, "nonce too low: next nonce 5, tx nonce 4"],
      [-32000, "already known"],
      [-32000, "replacement transaction underpriced"],
      [-32000, "transaction underpriced: gas tip cap 0, minimum needed 1"],
      [-32000, "intrinsic gas too low: gas 20000, minimum needed 21000"],
      [-32000, "insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1"],
      [-32000, "max fee per gas less than block base fee: address 0x0, maxFeePerGas: 1, baseFee: 2"],
      [-32000, "exceeds block gas limit"],
      [-32000, "tx fee (1.50 ether) exceeds the configured cap (1.00 ether)"],
      [-32000, "oversized data: transaction size 200000, limit 131072"],
      [-32000, "txpool is full"],
      [-38010, "nonce too low"],
      [-38014, "insufficient funds for gas * price + value"]
    ]
  ],
  [
    "Besu: RpcErrorType.java, where the codes of EIP-1474 mean other things",
    "transactionRejected",
    [
      [-32001, "Nonce too low"],
      [-32002, "Invalid signature"],
      [-32003, "Intrinsic gas exceeds gas limit"],
      [-32004, "Upfront cost exceeds account balance"],
      [-32005, "Transaction gas limit exceeds block gas limit"],
      [-32005, "Transaction gas limit cap exceeded"],
      [-32006, "Nonce too high"],
      [-32007, "Sender account not authorized to send transactions"],
      [-32009, "Gas price below configured minimum gas price"]
    ]
  ],
  [
    "Monad: eRPC error_normalizer.go",
    "transactionRejected",
    [
      [-32603, "An existing transaction had higher priority"],
      [-32603, "rejected"]
    ]
  ],
  ["EIP-1474", "transactionRejected", [[-32003, "Transaction rejected"]]],

  // methods
  [
    "geth",
    "methodNotFound",
    [
      [-32601, "the method eth_foo does not exist/is not available"],
      [-32601, "notifications not supported"],
      [-32000, "the method eth_foo does not exist/is not available"]
    ]
  ],
  ["proxyd: backend.go", "methodNotFound", [[-32601, "rpc method is not whitelisted", 403]]],
  ["Besu: RpcErrorType.java", "methodNotFound", [[-32604, "Method not enabled"]]],
  [
    "Alchemy",
    "methodNotFound",
    [
      [-32600, "Unsupported method: eth_foo on ETH_MAINNET"],
      [-32600, "trace_block is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access."]
    ]
  ],
  ["EIP-1474", "methodNotFound", [[-32004, "Method not supported"]]],

  // errors about failures of the server itself
  [
    "proxyd: backend.go",
    "unavailable",
    [
      [-32010, "backend offline", 503],
      [-32011, "no backend is currently healthy to serve traffic", 503],
      [-32013, "backend returned an invalid response", 500],
      [-32018, "backend is currently not healthy to serve traffic", 503]
    ]
  ],
  ["Cloudflare: foundry#11667", "unavailable", [[-32055, "No nodes available"]]],
  ["jsonrpsee: types/src/error.rs", "unavailable", [[-32009, "Server is busy, try again later"]]],
  ["Besu: RpcErrorType.java", "unavailable", [[-32008, "Initial sync is still in progress"]]],
  ["geth: internal/ethapi/errors.go", "unavailable", [[-32000, "transaction indexing is in progress"]]],
  ["EIP-1474", "unavailable", [[-32002, "Resource unavailable"]]],
  ["a proxy before a server", "unavailable", [[-32603, "Internal error", 503]]],
  [
    "JSON-RPC 2.0, geth",
    "internal",
    [
      [-32603, "Internal error"],
      [-32603, "method handler crashed"]
    ]
  ],

  // invalid requests
  [
    "geth",
    "invalidParams",
    [
      [-32602, "missing value for required argument 0"],
      [-32602, "too many arguments, want at most 2"],
      [
        -32602,
        "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Hash"
      ],
      [-32602, 'storage key too long (want at most 32 bytes): "0x00"'],
      [-38020, "block numbers must be in order: 5 <= 6"]
    ]
  ],
  ["reth, Besu", "invalidParams", [[4445, "Block access list not available for pre-Amsterdam blocks"]]],
  [
    "geth, EIP-1474",
    "invalidRequest",
    [
      [-32700, "parse error"],
      [-32600, "invalid request"],
      [-32600, "empty batch"],
      [-32006, "JSON-RPC version not supported"]
    ]
  ],
  ["reth: rpc-eth-types/src/error", "invalidParams", [[-32602, "invalid block range"]]],
  [
    "nothing that can be told",
    "other",
    [
      [-32000, "genesis is not traceable"],
      [-32000, "something"],
      [0, ""]
    ]
  ]
]

/** A text that no rule matches, so that code and status decide. */
const SILENT = "!"
const byStatus: ReadonlyArray<readonly [status: number, kind: RemoteKind.RemoteKind]> = [
  [401, "unauthorized"],
  [402, "quotaExceeded"],
  [403, "unauthorized"],
  [413, "tooLarge"],
  [429, "rateLimited"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "timedOut"]
]
const byCode: ReadonlyArray<readonly [code: number, kind: RemoteKind.RemoteKind]> = [
  [-32700, "invalidRequest"],
  [-32600, "invalidRequest"],
  [-32601, "methodNotFound"],
  [-32602, "invalidParams"],
  [-32603, "internal"],
  [-32000, "other"],
  [-32001, "notFound"],
  [-32002, "unavailable"],
  [-32003, "transactionRejected"],
  [-32004, "methodNotFound"],
  [-32005, "rateLimited"],
  [-32006, "invalidRequest"],
  [-32014, "notFound"],
  [-32015, "executionFailed"],
  [-32016, "timedOut"],
  [-32017, "timedOut"],
  [-38010, "transactionRejected"],
  [-38015, "transactionRejected"],
  [-38020, "invalidParams"],
  [-38024, "transactionRejected"],
  [-38026, "tooLarge"],
  [-39001, "notFound"],
  [3, "executionFailed"],
  [4, "timedOut"],
  [401, "unauthorized"],
  [402, "quotaExceeded"],
  [429, "rateLimited"],
  [4444, "pruned"],
  [4445, "invalidParams"]
]

describe("messages of real servers", () => {
  for (const [source, kind, messages] of said) {
    it(`${kind}: ${source}`, () => {
      for (const [code, message, status] of messages) {
        assert.strictEqual(RemoteKind.of({ code, message, status }), kind, `${code} ${message}`)
      }
    })
  }

  it("use each pattern of the table", () => {
    for (const { kind, text } of RemoteKind.rules) {
      if (text !== undefined) {
        assert.isTrue(
          said.some(
            ([, saidKind, messages]) => kind === saidKind && messages.some(([, message]) => text.test(message))
          ),
          `${text}`
        )
      }
    }
  })
})

describe("a text that says nothing", () => {
  it("leaves the word to the HTTP status", () => {
    for (const [status, kind] of byStatus) {
      for (const code of [-32000, -32005, -32600, -32603, 0]) {
        assert.strictEqual(RemoteKind.of({ code, message: SILENT, status }), kind, `${status} ${code}`)
      }
    }
  })

  it("leaves the word to the code where the status says nothing either", () => {
    for (const [code, kind] of byCode) {
      for (const status of [undefined, 200, 400, 500]) {
        assert.strictEqual(RemoteKind.of({ code, message: SILENT, status }), kind, `${code}`)
      }
    }
  })
})

/** The prefixes that servers put before a contract's own text. */
const REVERTS: ReadonlyArray<readonly [code: number, before: string]> = [
  [3, "execution reverted: "],
  [3, ""],
  [-32000, "execution reverted: "],
  [-32000, "Execution reverted: "],
  [-32000, "failed with 30000000 gas: execution reverted: "],
  [-32000, "call_many error in bundle 0 and transaction 1: execution reverted: "],
  [-32000, "[Request ID: 7b1d] execution reverted: "],
  [-32000, "VM Exception while processing transaction: revert "],
  [-32603, "Error: VM Exception while processing transaction: reverted with reason string '"],
  [-32603, "execution reverted: "],
  [-32015, "VM execution error. "]
]

describe("what a contract says", () => {
  it("is never taken for the server's words", () => {
    const texts = said.flatMap(([, kind, messages]) =>
      kind === "executionFailed" ? [] : messages.map(([, message]) => message)
    )
    for (const [code, before] of REVERTS) {
      for (const text of texts) {
        if (before === "" && /^(?:unknown block|(?:block|header) not found)$/i.test(text)) {
          // Alchemy sends these texts itself, with the code of a revert. Before a contract's text it puts a prefix.
          continue
        }
        for (const status of [undefined, 429, 503]) {
          assert.strictEqual(RemoteKind.of({ code, message: before + text, status }), "executionFailed", before + text)
        }
      }
    }
  })
})

describe("the table", () => {
  it("has no pattern that repeats without a bound", () => {
    for (const { text } of RemoteKind.rules) {
      const source = (text?.source ?? "").replaceAll(/\\.|\[[^\]]*\]/g, "x")
      assert.notMatch(source, /[*+]|\{\d+,\}/, source)
      assert.isFalse(text?.global ?? false)
    }
  })

  it("looks at the beginning of a text only", () => {
    const padding = " ".repeat(500)
    assert.strictEqual(RemoteKind.of({ code: -32000, message: `${padding}rate limit` }), "other")
    assert.strictEqual(RemoteKind.of({ code: -32000, message: `rate limit${padding}` }), "rateLimited")
  })

  it("has an answer for every error", () => {
    const random = Random.make(20_261_121)
    const kinds = new Set(RemoteKind.rules.map((rule) => rule.kind))
    for (let run = 0; run < Random.runs(2_000); run++) {
      const error = {
        code: Random.pick(random, [-32000, -32001, -32005, -32603, 0, 3, 429, Random.int(random, 100_000) - 50_000]),
        message: RandomJson.jsonText(random),
        status: Random.pick(random, [undefined, 200, 403, 429, 500, 503])
      }
      const kind = RemoteKind.of(error)
      assert.isTrue(kind === "other" || kinds.has(kind))
      assert.strictEqual(RemoteKind.of(error), kind)
    }
  })
})
