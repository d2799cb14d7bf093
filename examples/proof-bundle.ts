/** Writes the proof of an account to a file, and reads it without any node. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Address, Hash32 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { BundleClient, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Layer, Result } from "effect"

const hash = Hash32.fromHexUnsafe(HistoryChain.blocks[69]!.hash)
const address = Address.fromHexUnsafe(HistoryChain.accounts[0]!.address)
const folder = await mkdtemp(join(tmpdir(), "proof-"))
const file = join(folder, "account.car")

// with a node: every proof is checked before it is written
const eth = VerdictEthClient.layer().pipe(Layer.provide([History.layerTransport(), TrustedBlock.layerNone()]))
const making = ProofBundle.make({ block: hash, accounts: [{ address }] })
const made = await Effect.runPromise(Effect.provide(making, eth))
await writeFile(file, ProofBundle.encode(made.value))

// on any machine that has the file and the hash
const bundle = Result.getOrThrow(ProofBundle.open(await readFile(file), hash))
const offline = BundleClient.makeVerdicts(bundle)
const balance = await Effect.runPromise(offline.getBalance(address, hash))
console.log(balance._tag, balance.value) // => VERIFIED 9999937940847800280824n
await rm(folder, { recursive: true })
