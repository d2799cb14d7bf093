/** The reasons why gateways gave no answer (EIP-3668). */

/** The failure of one gateway: the status of its answer, or the fault. */
export interface GatewayFailure {
  /** The host, without any other part of the URL. Undefined if no URL was fit to be asked. */
  readonly host: string | undefined
  /** The HTTP status; undefined if there was no whole answer. */
  readonly status: number | undefined
  readonly fault: "Status" | "Unreachable" | "TimedOut" | "TooLarge" | "Malformed" | "RefusedUrl"
}

/** The reason why a record outside the chain was not read. */
export type OffchainFailure =
  /** No gateway gave an answer. */
  | { readonly _tag: "Gateway"; readonly failures: ReadonlyArray<GatewayFailure> }
  /** The contract asks for gateways in a way that EIP-3668 or a bound forbids. */
  | {
      readonly _tag: "LookupRefused"
      readonly check: "sender" | "lookups" | "requests" | "time" | "depth" | "malformed" | "bytes"
    }
