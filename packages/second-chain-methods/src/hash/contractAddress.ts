/** Computes the address of a contract from the parts of its deployment. */
import { ascii } from "./felts.ts"
import { pedersenOf } from "./pedersen.ts"

/** The parts of a deployment that determine the contract's address. */
export interface Deployment {
  readonly classHash: bigint
  readonly salt: bigint
  readonly constructorCalldata: ReadonlyArray<bigint>
}

/**
 * Returns the address of a contract that DEPLOY or DEPLOY_ACCOUNT makes. The deployer is 0, because no other contract
 * deploys it.
 *
 * Source: https://docs.starknet.io/architecture/smart-contracts (contract address); the bound is that of cairo-lang's
 * `normalize_address`.
 */
export const addressOf = (deployment: Deployment): bigint =>
  pedersenOf([PREFIX, 0n, deployment.salt, deployment.classHash, pedersenOf(deployment.constructorCalldata)]) % BOUND

const PREFIX = ascii("STARKNET_CONTRACT_ADDRESS")
/** All addresses are below this number. A variable of up to 256 felts still fits after every such address. */
const BOUND = 2n ** 251n - 256n
