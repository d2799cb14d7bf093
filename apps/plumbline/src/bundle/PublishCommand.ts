/** `plumbline publish <bundle.car>` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as IpfsFlags from "../ipfs/IpfsFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const publish = CommandFactory.make(
  "publish",
  {
    bundle: Argument.String("bundle.car").pipe(Argument.withDescription("A file that `plumbline prove` wrote")),
    ...IpfsFlags.flags
  },
  async () => (await import("./BundleOnIpfs.ts")).publish
).pipe(
  Command.withDescription("Store a proof bundle on an IPFS node, and pin it"),
  Command.withExamples([
    { command: "plumbline publish token.car", description: "On the node of the service that runs here" }
  ])
)
