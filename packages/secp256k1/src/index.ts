/**
 * Fast recovery of the senders of transactions, by libsecp256k1.
 */
export * as FastRecovery from "./FastRecovery.ts"
export * as NativeRecovery from "./NativeRecovery.ts"
export { RecoveryUnavailableError } from "./RecoveryUnavailableError.ts"
