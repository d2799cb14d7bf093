/** The importer alone in a separate process: the same work without HTTP and without a store. */
import { type ImportCandidate, importer } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"

import { type File, pieces } from "./benchContent.ts"

/** A store that keeps nothing. */
const nothing = { put: async (cid: CID) => cid }

const importAll = async (files: ReadonlyArray<File>): Promise<string> => {
  const candidates = function* (): Generator<ImportCandidate> {
    for (const file of files) yield { path: file.path, content: pieces(file) }
  }
  let last = ""
  for await (const { cid } of importer(candidates(), nothing, { profile: "unixfs-v0-2015" })) last = String(cid)
  return last
}

/** Each request is a list of uploads that are made at the same time. */
process.on("message", (uploads: ReadonlyArray<ReadonlyArray<File>>) => {
  void Promise.all(uploads.map(importAll)).then((cids) => process.send?.(cids))
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
