/** Content of IPFS: add it, look at it, keep it. Every block is hashed in this browser. */
import "./ipfs.css"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { CidContentView } from "./CidContentView.tsx"
import { IpfsStart } from "./IpfsStart.tsx"

const Ipfs = ({ place }: { readonly place: ConsoleRoute.IpfsRoute }) =>
  place.cid === undefined ? <IpfsStart /> : <CidContentView place={place} />

export default Ipfs
