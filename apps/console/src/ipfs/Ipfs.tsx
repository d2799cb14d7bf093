/** Content of IPFS: add it, look at it, keep it. Every block is hashed in this browser. */
import "./ipfs.css"
import type * as Place from "../route/Place.ts"
import { Content } from "./Content.tsx"
import { Start } from "./Start.tsx"

const Ipfs = ({ place }: { readonly place: Place.Ipfs }) =>
  place.cid === undefined ? <Start /> : <Content place={place} />

export default Ipfs
