/** The names of the light client's checks, and the error of a check that failed. */
import { type ComparableValue, type RefutedError, refute } from "@plumbline/verdict/RefutedError"

/**
 * The name of a check. A `RefutedError` of this package has one of these in its field `check`.
 *
 * | check                    | a value fails it if                                                              |
 * | ------------------------ | -------------------------------------------------------------------------------- |
 * | `network`                | it belongs to another network, or the description of the network contradicts itself |
 * | `shape`                  | its bytes or its JSON do not have the form of the container                        |
 * | `bounds`                 | it is larger than any container of its kind                                        |
 * | `checkpoint-root`        | the bootstrap's header is not the checkpoint                                       |
 * | `checkpoint-age`         | the checkpoint is older than the reader allows                                     |
 * | `execution-branch`       | the execution header or block hash is not under the beacon block's body root       |
 * | `committee-branch`       | the bootstrap's committee is not under its header's state root                     |
 * | `next-committee-branch`  | the next committee is not under the attested header's state root                   |
 * | `next-committee-changed` | its next committee differs from the known one                                      |
 * | `finality-branch`        | the finalized header is not under the attested header's state root                 |
 * | `slot-order`             | its slots are not in the order finalized, attested, signature                      |
 * | `future-slot`            | its signature is from a future slot                                                |
 * | `period`                 | it was signed in a period whose committee is not known                             |
 * | `relevance`              | it brings nothing new                                                              |
 * | `participation`          | too few members signed                                                             |
 * | `signature`              | the members did not make this signature                                            |
 * | `backwards`              | the finalized header would go back                                                 |
 * | `conflict`               | two valid updates contradict each other                                            |
 * | `execution-header-hash`  | the hash of an execution header is not the proven block hash                       |
 */
export type LightClientCheck =
  | "network"
  | "shape"
  | "bounds"
  | "checkpoint-root"
  | "checkpoint-age"
  | "execution-branch"
  | "committee-branch"
  | "next-committee-branch"
  | "next-committee-changed"
  | "finality-branch"
  | "slot-order"
  | "future-slot"
  | "period"
  | "relevance"
  | "participation"
  | "signature"
  | "backwards"
  | "conflict"
  | "execution-header-hash"

/**
 * Makes the `RefutedError` of a check. `subject` names the container or the field that failed.
 *
 * ```ts import.meta.vitest
 * import { LightClientCheck } from "@plumbline/beacon-light-client"
 *
 * const wrong = LightClientCheck.refuse("participation", "at least 1 of 512", "0", "Update")
 * wrong.message // => "Update: participation: expected at least 1 of 512, got 0"
 * ```
 */
export const refuse = (
  check: LightClientCheck,
  expected: ComparableValue,
  got: ComparableValue,
  subject: string
): RefutedError => refute(check, expected, got, { subject })
