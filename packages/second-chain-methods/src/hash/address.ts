/** The address of a contract, which follows from what it was deployed with. */
import { ascii } from "./felts.ts"
import { pedersenOf } from "./pedersen.ts"

/** What decides the address of a contract. */
export interface Deployment {
  readonly classHash: bigint
  readonly salt: bigint
  readonly constructorCalldata: ReadonlyArray<bigint>
}

/**
 * The address of a contract that DEPLOY or DEPLOY_ACCOUNT makes: no contract deploys it, so the deployer is 0.
 *
 * Source: https://docs.starknet.io/architecture/smart-contracts (contract address); the bound is that of cairo-lang's
 * `normalize_address`.
 */
export const addressOf = (deployment: Deployment): bigint =>
  pedersenOf([PREFIX, 0n, deployment.salt, deployment.classHash, pedersenOf(deployment.constructorCalldata)]) % BOUND

const PREFIX = ascii("STARKNET_CONTRACT_ADDRESS")
/** Addresses leave room for a contract's variables of up to 256 felts. */
const BOUND = 2n ** 251n - 256n
