/**
 * The initial accounts of the pool, and their class. THEIR KEYS ARE PUBLIC.
 *
 * The private key of account `n`, from 0 to 4, is the selector (the low 250 bits of the Keccak-256) of the text
 * `plumbline starknet-pool account n`. Each account has the class below. Its public key is the salt and the only
 * argument of the constructor; its address is the hash of these, as on the chain.
 *
 * | account | address                                                             |
 * | ------- | ------------------------------------------------------------------- |
 * | 0       | `0x24ffd08c805a8f3cdb7167d326e3b521ab3046392daef1711dfec1535864783` |
 * | 1       | `0x50cb0289eb6283a1701b1b5708d3e3a70a97c8dd9577e69621bc756f1a2888b` |
 * | 2       | `0x17eb625ee89109522213aa994edb51cfa4455e7728ab1927360636546cb7149` |
 * | 3       | `0x92fc2923e47a9d931c59b2013477a22a32799a569c14c810c41f75118aa15f`  |
 * | 4       | `0xbeec0fe28a584c4b8d42701caa76f386411beb358048b54cd334a305c8e567`  |
 */
import type * as Felt from "@plumbline/second-chain-methods/model/Felt"

/** An account with one key. All fields are felts without leading zeros. */
export interface StarknetPoolAccount {
  readonly address: Felt.Felt
  /** The x coordinate of the public key, as the account stores it. It is also the salt of the address. */
  readonly publicKey: Felt.Felt
  /** PUBLIC, like everything here: never send anything of value to the account on any chain. */
  readonly privateKey: Felt.Felt
}

// the tests derive these values again from the seed
const account = (address: string, publicKey: string, privateKey: string): StarknetPoolAccount =>
  ({ address, publicKey, privateKey }) as StarknetPoolAccount

/**
 * The class of every account in the pool: OpenZeppelin's account with one Stark key (Cairo 1, version 1.0.0), which
 * starknet-devnet also uses. The pool cannot check transactions of another class.
 */
export const classHash = "0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564" as Felt.Felt

/**
 * The initial accounts of the pool.
 *
 * ```ts import.meta.vitest
 * import { StarknetPoolAccounts } from "@plumbline/devnet"
 * import { contractAddress, Selector } from "@plumbline/second-chain-methods"
 *
 * const { accounts, classHash } = StarknetPoolAccounts
 * accounts[3]?.privateKey === Selector.of("plumbline starknet-pool account 3") // => true
 *
 * const { address, publicKey } = accounts[3]!
 * const deployment = { class_hash: classHash, contract_address_salt: publicKey, constructor_calldata: [publicKey] }
 * address === contractAddress(deployment) // => true
 * ```
 */
export const accounts: ReadonlyArray<StarknetPoolAccount> = [
  account(
    "0x24ffd08c805a8f3cdb7167d326e3b521ab3046392daef1711dfec1535864783",
    "0x171df7fee0f2ef74d698ddf6e3960d23a3f6d971b1885087758534efa4d163a",
    "0x90e3cfe0b8b1db160fb4e3312dc6fa364676a4dbf424524a3788aa67dd3d44"
  ),
  account(
    "0x50cb0289eb6283a1701b1b5708d3e3a70a97c8dd9577e69621bc756f1a2888b",
    "0x3a5abc9518e5255f9bfa87e7b3b65bbe0b0f03b814c9ae2ed90879e7fa47227",
    "0x2b4dc43d7cf5d22bbfc08866e4215451da824a19db70ea4e4bbaa753beef073"
  ),
  account(
    "0x17eb625ee89109522213aa994edb51cfa4455e7728ab1927360636546cb7149",
    "0x5a7f5a5c05b913c55339617403971e9db6b688145ffdc96696280ff0184104e",
    "0x145ffa565022d92a2b5530c62f0edd73192c76820ffad737304cfb77a7ab0b9"
  ),
  account(
    "0x92fc2923e47a9d931c59b2013477a22a32799a569c14c810c41f75118aa15f",
    "0x5ca844fe320efca64d9d513b79640a1b936f3545418b31a73c7fd27f79deec1",
    "0x3e0f2546775569b82c8f503f8293cc52cc4e31bbd6893b6fdb7160d3cf57a1c"
  ),
  account(
    "0xbeec0fe28a584c4b8d42701caa76f386411beb358048b54cd334a305c8e567",
    "0x31bc1e4c09215643e3b8b964975e92b5486a6939b30029f4caacce1f11f1738",
    "0x812bc525110a1b4dafb753e0c3f605e03617adbdd484104aa2883e84acc74e"
  )
]

/**
 * Returns the public key of one of the accounts, for `verifyPending` and `verifyTransaction`. The address has no
 * leading zeros.
 *
 * ```ts import.meta.vitest
 * import { StarknetPoolAccounts } from "@plumbline/devnet"
 *
 * const { accounts, publicKeyOf } = StarknetPoolAccounts
 * publicKeyOf(accounts[1]!.address) === accounts[1]?.publicKey // => true
 * ```
 */
export const publicKeyOf = (address: Felt.Felt): Felt.Felt | undefined =>
  accounts.find((account) => account.address === address)?.publicKey
