/** Copies the address of content, for a person or for another program. */
import { Copied } from "../look/Hash.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** Returns the address in the form that programs of IPFS read. Nothing in it is percent-encoded. */
export const ipfsAddress = ({ cid = "", path = [] }: ConsoleRoute.IpfsRoute): string =>
  `ipfs://${[cid, ...path].join("/")}`

/** Two buttons: the address of the page, and the one of IPFS. */
export const CopyLink = ({ place }: { readonly place: ConsoleRoute.IpfsRoute }) => (
  <>
    <Copied
      text={new URL(ConsoleRoute.link({ ...place, view: undefined }).href, location.origin).href}
      label="Copy link"
    />
    <Copied text={ipfsAddress(place)} label="Copy ipfs://" />
  </>
)
