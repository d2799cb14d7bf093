/** Draws the blocks of a bundle on one line, each with its codec, its length and its hash. */
import "./blockPicture.css"
import { Hash } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"

/** A block of a file, with its hash. */
export interface PictureBlock {
  readonly codec: string
  readonly bytes: number
  /** The hash that the block's CID names. */
  readonly named: string
  /** The Keccak-256 of the block's bytes. */
  readonly digest: string
}

/** The picture. `broken` is the index of the first block whose bytes do not have the named hash, or -1. */
export const BlockPicture = ({
  broken,
  sections,
  tone
}: {
  readonly sections: ReadonlyArray<PictureBlock>
  readonly broken: number
  readonly tone: string
}) => (
  <ol className={`blocks-picture ${tone}`}>
    {sections.map(({ bytes, codec, digest, named }, at) => (
      <li
        // in a damaged file, two blocks may have the same name
        // oxlint-disable-next-line react/no-array-index-key
        key={`${at} ${named}`}
        className={broken === at ? "wrong" : broken >= 0 && at > broken ? "below" : ""}
      >
        <div className="box">
          <b>{codec}</b>
          <span>{grouped(bytes)} B</span>
          <Hash hex={named} />
        </div>
        <p className="small soft">
          {broken === at ? (
            <>
              The line breaks here. These bytes hash to <Hash hex={digest} />
            </>
          ) : at === 0 ? (
            "The root of the file. Its CID is the hash of the block."
          ) : (
            (SAYS[codec] ?? "")
          )}
        </p>
      </li>
    ))}
  </ol>
)

const SAYS: Readonly<Record<string, string>> = {
  "eth-state-trie": "A node of the state trie, on the way to an account",
  "eth-storage-trie": "A node of a storage trie, on the way to a slot",
  raw: "An address, a name, code or the access list, whose hash is on a path",
  "eth-tx-trie": "A node of the transactions",
  "eth-tx-receipt-trie": "A node of the receipts",
  "eth-block-list": "The headers of the uncles"
}
