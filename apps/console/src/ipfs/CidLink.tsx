/** CIDs in short form: the skyline of the digest (eight bars), then the first eight and the last four characters. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"

import { Copied, Skyline } from "../look/Hash.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** Returns the first eight and the last four characters. */
export const shortCid = (text: string): string => (text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-4)}`)

/** A CID as a link to its content, or, with `isCopied`, as a button that copies it. */
export const CidLink = ({
  cid,
  isCopied = false,
  view
}: {
  readonly cid: Cid.Cid
  readonly isCopied?: boolean
  readonly view?: "dag" | undefined
}) => {
  const text = Cid.toText(cid)
  const inside = (
    <>
      <Skyline hex={Hex.fromBytes(cid.multihash.digest)} />
      {shortCid(text)}
    </>
  )
  if (isCopied) return <Copied text={text} className="hash" label={inside} />
  return (
    <a className="hash" href={ConsoleRoute.link({ _tag: "Ipfs", cid: text, view }).href} title={text} data-copy={text}>
      {inside}
    </a>
  )
}
