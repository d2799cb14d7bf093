/**
 * The meaning of a server's error for the caller.
 *
 * Codes alone are ambiguous. -32005 means a limit to wait for, an exhausted daily quota, or an answer that would be too
 * long. -32002 is a timeout of geth and a refusal of Infura. -32016 is a timeout of Nethermind and a limit of proxyd.
 * So the table looks at texts first, then at the HTTP status, then at codes.
 *
 * Sources: JSON-RPC 2.0 section 5.1; EIP-1474; geth `rpc/errors.go`, `internal/ethapi/errors.go`, `core/error.go` and
 * `core/txpool/errors.go`; Nethermind `ErrorCodes.cs`; reth `rpc-eth-types/src/error`; jsonrpsee `types/src/error.rs`;
 * Besu `RpcErrorType.java`; Erigon `eth_call.go`; proxyd `backend.go`; eRPC `error_normalizer.go`; alloy
 * `json-rpc/src/response/error.rs`; the services' pages on errors and limits. The messages themselves are test data.
 */

/**
 * | kind | meaning | the same call |
 * | --- | --- | --- |
 * | `rateLimited` | too much in too short a time | succeeds later |
 * | `timedOut` | the server gave up on its own work | may succeed later |
 * | `unavailable` | the server cannot do it now | may succeed later |
 * | `quotaExceeded` | the day's or month's credits are gone | succeeds with another node |
 * | `unauthorized` | no key, a wrong key, or a key without permission | succeeds with another key |
 * | `notFound` | this node does not know the requested block or object | may succeed with a node that is ahead |
 * | `pruned` | this node has deleted the state or history | may succeed with an archive |
 * | `notCanonical` | the block is not of the canonical chain | fails |
 * | `batchTooLarge` | too many calls in one packet | succeeds in smaller batches |
 * | `tooLarge` | the question or its answer exceeds a limit | fails; ask for less |
 * | `methodNotFound` | no such method here | may succeed with another node |
 * | `invalidRequest`, `invalidParams` | the question is wrong | fails |
 * | `executionFailed` | the contract or the transaction's run failed | fails |
 * | `transactionRejected` | the server did not accept the transaction | fails |
 * | `internal` | the server failed and does not say why | may succeed with another node |
 * | `other` | none of these | unknown |
 */
export type RemoteKind =
  | "rateLimited"
  | "timedOut"
  | "unavailable"
  | "quotaExceeded"
  | "unauthorized"
  | "notFound"
  | "pruned"
  | "notCanonical"
  | "batchTooLarge"
  | "tooLarge"
  | "methodNotFound"
  | "invalidRequest"
  | "invalidParams"
  | "executionFailed"
  | "transactionRejected"
  | "internal"
  | "other"

/**
 * One row of the table. A row fits an error if all its conditions (codes, a text, HTTP statuses) fit. A pair of codes
 * is a range.
 */
export interface RemoteKindRule {
  readonly kind: RemoteKind
  readonly codes?: ReadonlyArray<number | readonly [from: number, to: number]>
  readonly text?: RegExp
  readonly statuses?: ReadonlyArray<number>
}

/**
 * The table of rules. The first row that fits an error gives its kind; without such a row the kind is `other`. The
 * comment above a row names the servers that answer so.
 *
 * The order is part of the meaning. Errors of contracts come first: a contract chooses the text of its revert and could
 * write any text that the later rows look for. Then come texts, the most specific first, and texts that occur in many
 * sentences last. Every repetition in a pattern is bounded, so matching takes time linear in the length of the text.
 */
export const rules: ReadonlyArray<RemoteKindRule> = [
  // JSON-RPC 2.0; proxyd: rpc method is not whitelisted
  { kind: "methodNotFound", codes: [-32601] },
  // @plumbline/provider: a provider in front of a node that lied, or that gave no proof
  {
    kind: "internal",
    codes: [-32099, -32097],
    text: /^(?:refuted|unavailable): /
  },
  // @plumbline/provider: what no node can prove, and a call beyond the bounds of its run; both name a reason
  {
    kind: "other",
    codes: [-32098, -32095],
    text: /^(?:unproven|out of bounds): /
  },
  // Alchemy
  { kind: "notFound", codes: [3], text: /^(?:unknown block|(?:block|header) not found)$/i },
  // geth, reth, Besu, Nethermind: revert
  { kind: "executionFailed", codes: [3] },
  // geth, Hedera, Hardhat, Ganache, OpenEthereum, reth
  {
    kind: "executionFailed",
    text: /\b(?:execution|transaction) reverted\b|\bvm (?:exception|execution error)\b|^revert(?:ed)?\b|\bevm error: /i
  },
  // geth core/vm/errors.go and eth/gasestimator
  {
    kind: "executionFailed",
    text: /^(?:err: )?(?:out of gas|gas uint64 overflow|gas required exceeds|invalid opcode|invalid jump|stack (?:under|over)flow|stack limit reached|write protection|max call depth|max code size|contract creation code storage)/i
  },
  // jsonrpsee -32011: the calls were done, so it is not a refusal of the batch
  {
    kind: "tooLarge",
    text: /\bbatch response (?:was|is) too (?:large|big)/i
  },
  // geth -32600, proxyd -32014, jsonrpsee -32010 and -32005, Besu -32005, Erigon, dRPC 31, Gnosis
  {
    kind: "batchTooLarge",
    text: /\bbatch(?:es|ed|ing)?\b.{0,80}(?:too (?:large|many|big|long)|exceeds?\b|maximum|not (?:supported|allowed|enabled|permitted)|disabled|unsupported|forbidden)|\bunsupported batch|\bbatch (?:size )?limit\b|(?:too many|more than|exceeds?|maximum)\b.{0,60}\bbatch/i
  },
  // Infura, since 2024
  { kind: "quotaExceeded", codes: [402, -33000] },
  // Infura -32005, Alchemy 429 and -32600, eRPC
  {
    kind: "quotaExceeded",
    text: /\b(?:daily|monthly) (?:request|credit|capacity|compute|usage|limit|quota)|\bquota\b|\breached the free tier|limit for your current plan|\b(?:out of|insufficient|not enough) (?:credits|compute units)/i
  },
  // geth core/error.go and core/txpool/errors.go, reth, Besu, Monad
  {
    kind: "transactionRejected",
    text: /\bnonce (?:too|is too|has|gap)|\balready (?:known|imported|reserved)\b|\bknown transaction\b|\balready (?:in|exists in) (?:the )?mempool|\bunderpriced\b|\bgas too (?:low|high)\b|\b(?:insufficient|exceeds (?:account )?) ?(?:funds|balance)\b|\b(?:fee|fee cap|gas price|gas) (?:less than|below|too low|higher than|exceeds?)\b|\bpriority fee\b|exceeds (?:the )?(?:block gas limit|max transaction gas|current gas limit|configured cap)|\bgas limit (?:cap )?(?:exceed|too high)|\btxpool is full|\boversized data\b|\binitcode size|\binvalid (?:sender|signature|chain ?id)\b|\bhad higher priority\b|transaction type not supported|(?:account|transaction) limit (?:exceeded|reached)|not authorized to send transactions|^rejected$/i
  },
  // geth, reth, Avalanche, Cosmos chains, Infura: a block that is not there yet
  {
    kind: "notFound",
    text: /\b(?:pending|safe|finalized|latest) (?:block|state|header|receipts)\b.{0,20}not (?:found|available)|\bhas not been executed yet\b|\bbeyond (?:the )?(?:current )?head\b|\bcannot query unfinalized\b|\bafter last accepted block\b|\bgreater than latest\b|\bheight must be less than or equal\b|no nodes? available for requested block/i
  },
  // geth, Nethermind -32002, reth, Erigon, Besu, Infura
  {
    kind: "pruned",
    text: /\bmissing trie node|\bpruned\b|\bpruning\b|\bis missing from the db\b|\barchive (?:state|node|data)\b|\bhistory has expired\b|\bmaximum proof window\b|\brequested block is too old\b|\bno historical\b|\bno state (?:available|found)\b|\b(?:world |historical )?state\b.{0,90}(?:not available|unavailable)/i
  },
  // geth -32003 and -32602, reth, jsonrpsee, Infura, Alchemy, QuickNode -32614, Ankr, dRPC 35, Besu, proxyd, eRPC
  {
    kind: "tooLarge",
    text: /\b(?:response|result|request|body|content|content length|query|block|range|data)s?\b.{0,40}(?:too (?:large|big|wide|long|high)|is limited|larger than|bigger than|exceeds? (?:limit|max)|size exceeded|should not be greater)|returned more than|more than [0-9.,]{1,12} (?:blocks|results|logs)|(?<!\binvalid )\bblock range\b|\brange limit\b|\bmax(?:imum)? (?:range|results)\b|\bblocks distance\b|range [0-9]{1,20} exceeds|ranges? over [0-9]{1,20}|exceeded max allowed range|too many (?:results|logs|storage keys|blocks|filters|subscriptions)|too large request|\b(?:addresses|topics) per search position|exceed max topics|filters\. The current limit/i
  },
  // Infura -32002 and 401, Alchemy -32600 and -32000, QuickNode, dRPC, eRPC
  {
    kind: "unauthorized",
    text: /\bunauthori[sz]ed\b|\bmust be authenticated\b|\bunauthenticated\b|\b(?:invalid|missing|unknown|expired|inactive|disabled) (?:api|access|project|app|secret|auth)[ _-]?(?:key|id|token|secret)\b|\binvalid jwt\b|\b(?:key|app|token|endpoint) is (?:inactive|invalid|disabled|not active)|\bproject id (?:settings|required)|\bnot (?:on|in) (?:the )?(?:white|allow)list|\bnot (?:white|allow)listed\b|not allowed to access|not in project scope/i
  },
  // geth -32002 and -32000, reth, Infura -32005, dRPC 30, eRPC and proxyd -32015, Besu -32603
  {
    kind: "timedOut",
    text: /\btim(?:e|ed|es)[ -]?out\b|\bdeadline exceeded\b/i
  },
  // EIP-7966: the transaction was sent, and not confirmed in time
  { kind: "timedOut", codes: [4] },
  // Infura, Alchemy, QuickNode -32007 and -32012, Chainstack, ZAN -32011, proxyd -32012, -32016 and -32017, Nethermind
  {
    kind: "rateLimited",
    text: /\brate[ -]?limit|\b(?:request )?rate (?:limit )?exceeded|\btoo (?:many|fast) (?:queued )?requests?\b|\btoo fast\b|\bper second\b|\/sec(?:ond)?\b|\b(?:rps|cu|request|concurrent requests?) limit\b|\bconcurrent requests\b|\bthroughput\b|\bover capacity\b|\bcredits limited\b|\bcode: 1015\b|^limit exceeded\b/i
  },
  // EIP-4444
  { kind: "pruned", codes: [4444] },
  // geth, EIP-1898
  { kind: "notCanonical", text: /\bnot (?:currently )?canonical\b/i },
  // geth, Besu -32604, Alchemy, eRPC
  {
    kind: "methodNotFound",
    text: /\bmethod\b.{0,80}(?:not found|not exist|not (?:supported|available|whitelisted|enabled|allowed|implemented))|\bunsupported method|\bnotifications not supported\b|not available on the .{0,20}\btier\b|not included in your (?:current )?plan/i
  },
  // geth -32000, reth -32001, Nethermind, Besu -32602, Starknet 20, 24, 28 and 29
  {
    kind: "notFound",
    text: /\b(?:not|no|cannot|could not|unable to) (?:be )?(?:find|found)\b|\bunknown (?:block|transaction|header)\b|\bno (?:header|block|transaction|receipt|data) found\b|\bblock hash .{0,70}does not exist/i
  },
  // jsonrpsee -32009, proxyd, Cloudflare -32055, Besu -32008, geth
  {
    kind: "unavailable",
    text: /\b(?:server|service|node|backend|gateway|upstream)s?\b.{0,40}(?:busy|overload|unavailable|offline|unhealthy|not (?:currently )?healthy|available)|\bunder too much load\b|\bbad gateway\b|\btry (?:again|your request) later\b|\btemporar(?:y|ily)\b|\bsync(?:ing|hronization)? is (?:still )?in progress\b|\bindexing is in progress\b|\bstill syncing\b/i
  },
  // RFC 9110
  { kind: "quotaExceeded", statuses: [402] },
  // RFC 6585
  { kind: "rateLimited", statuses: [429] },
  // RFC 9110
  { kind: "unauthorized", statuses: [401, 403] },
  // RFC 9110
  { kind: "tooLarge", statuses: [413] },
  // RFC 9110
  { kind: "unavailable", statuses: [502, 503] },
  // RFC 9110
  { kind: "timedOut", statuses: [504] },
  // EIP-1474; Infura, since 2024; Alchemy
  { kind: "rateLimited", codes: [429, -33200, -33300, -32005] },
  // Chainnodes, Besu
  { kind: "unauthorized", codes: [401, 403, -40100] },
  // EIP-1474; Nethermind, Besu, reth; eRPC: missing data
  { kind: "notFound", codes: [-32001, -39001, -32014] },
  // execution-apis: the simulation is beyond the client's limit
  { kind: "tooLarge", codes: [-38026] },
  // execution-apis: the simulation makes no sense
  { kind: "invalidParams", codes: [[-38023, -38020]] },
  // execution-apis: the transaction makes no sense
  { kind: "transactionRejected", codes: [[-38025, -38010]] },
  // geth, Nethermind: the run failed
  { kind: "executionFailed", codes: [-32015] },
  // Nethermind
  { kind: "timedOut", codes: [-32016, -32017] },
  // EIP-1474; proxyd: no backend
  { kind: "unavailable", codes: [-32002, -32010, -32011, -32013, -32018] },
  // EIP-1193: disconnected, from its node or from the chain
  { kind: "unavailable", codes: [4900, 4901] },
  // EIP-1474
  { kind: "transactionRejected", codes: [-32003] },
  // EIP-1474; Besu
  { kind: "methodNotFound", codes: [-32004, -32604] },
  // JSON-RPC 2.0; Nethermind, Besu, reth: a block before the fork
  {
    kind: "invalidParams",
    codes: [-32602, 4445]
  },
  // JSON-RPC 2.0, EIP-1474
  { kind: "invalidRequest", codes: [-32700, -32600, -32006] },
  // JSON-RPC 2.0
  { kind: "internal", codes: [-32603] }
]

/**
 * Returns the kind of a server's error.
 *
 * ```ts import.meta.vitest
 * import { RemoteKind } from "@plumbline/jsonrpc-core"
 *
 * RemoteKind.of({ code: -32005, message: "project ID request rate exceeded" }) // => "rateLimited"
 * RemoteKind.of({ code: -32005, message: "query returned more than 10000 results" }) // => "tooLarge"
 * RemoteKind.of({ code: 3, message: "execution reverted: rate limit" }) // => "executionFailed"
 * RemoteKind.of({ code: -32000, message: "something" }) // => "other"
 * RemoteKind.of({ code: -32000, message: "something", status: 503 }) // => "unavailable"
 * ```
 */
export const of = (error: {
  readonly code: number
  readonly message: string
  readonly status?: number | undefined
}): RemoteKind => {
  const text = error.message.slice(0, MAX_TEXT)
  return rules.find((rule) => fits(rule, error.code, text, error.status))?.kind ?? "other"
}

/**
 * True if a server that answers with this kind certainly did not do the call: it rejected the call before any work,
 * because of a limit, a key, or a call that it does not accept.
 */
export const isNotDone = (kind: RemoteKind): boolean => notDone.has(kind)

const notDone: ReadonlySet<RemoteKind> = /* @__PURE__ */ new Set([
  "rateLimited",
  "quotaExceeded",
  "unauthorized",
  "batchTooLarge",
  "methodNotFound",
  "invalidRequest",
  "invalidParams"
])

/** Maximum number of UTF-16 code units that are matched. A server states the cause early in its text. */
const MAX_TEXT = 500

const fits = (
  { codes, text, statuses }: RemoteKindRule,
  code: number,
  message: string,
  status: number | undefined
): boolean =>
  (codes === undefined ||
    codes.some((wanted) => (typeof wanted === "number" ? wanted === code : wanted[0] <= code && code <= wanted[1]))) &&
  (statuses === undefined || (status !== undefined && statuses.includes(status))) &&
  (text === undefined || text.test(message))
