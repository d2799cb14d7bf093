/** Describes a bundle in JSON: its size and its blocks. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"

export const of = (bundle: ProofBundle.ProofBundle): Readonly<Record<string, unknown>> => ({
  root: Cid.toText(bundle.root),
  blocks: bundle.blocks.length,
  bytes: ProofBundle.encode(bundle).length,
  accounts: bundle.accounts,
  parts: ProofBundle.parts(bundle)
})
