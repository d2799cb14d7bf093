import * as Command from "effect/cli/Command"

import * as CommandFactory from "../terminal/CommandFactory.ts"
import { commands } from "./IpfsFlags.ts"

const add = CommandFactory.make("add", commands.add, async () => (await import("./AddFiles.ts")).run).pipe(
  Command.withDescription("Add files and directories to IPFS, and prove that their CIDs are right"),
  Command.withExamples([
    { command: "plumbline ipfs add photo.jpg", description: "A file" },
    { command: "plumbline ipfs add --cid-version 1 site/", description: "A directory with all that is in it" },
    { command: "date | plumbline ipfs add -", description: "The output of another program" }
  ])
)

const cat = CommandFactory.make("cat", commands.cat, async () => (await import("./Cat.ts")).run).pipe(
  Command.withDescription("Write a file to standard output, every block proven before it is written"),
  Command.withExamples([
    { command: "plumbline ipfs cat Qmf412... > hello.txt", description: "A file; the verdict is on standard error" },
    { command: "plumbline ipfs cat /ipfs/bafy.../docs/readme.md", description: "A file in a directory" },
    {
      command:
        "plumbline ipfs cat ens://alice.eth/readme.md --trust 0x88df... --chain-id 1 --chain-url https://node.example",
      description: "A file of an ENS name, the name proven from a block you know"
    },
    { command: "plumbline ipfs cat --offset 1000 --length 24 bafy...", description: "24 bytes of it" }
  ])
)

const get = CommandFactory.make("get", commands.get, async () => (await import("./GetFiles.ts")).run).pipe(
  Command.withDescription("Write a file or a directory to this machine, after all of it is proven"),
  Command.withExamples([
    { command: "plumbline ipfs get bafy.../site", description: "As ./site" },
    { command: "plumbline ipfs get bafy... -o site", description: "The same, under a name of your own" }
  ])
)

const ls = CommandFactory.make("ls", commands.ls, async () => (await import("./ListEntries.ts")).run).pipe(
  Command.withDescription("List a directory, and prove that it has these entries and no others"),
  Command.withExamples([{ command: "plumbline ipfs ls bafy.../docs", description: "A directory within another" }])
)

const pinAdd = CommandFactory.make("add", commands.pinAdd, async () => (await import("./IpfsPins.ts")).add).pipe(
  Command.withDescription("Have a node keep content"),
  Command.withExamples([{ command: "plumbline ipfs pin add bafy...", description: "With all that it links to" }])
)

const pinRm = CommandFactory.make("rm", commands.pinRm, async () => (await import("./IpfsPins.ts")).remove).pipe(
  Command.withDescription("Remove pins"),
  Command.withExamples([{ command: "plumbline ipfs pin rm bafy...", description: "The node may forget it now" }])
)

const pinLs = CommandFactory.make("ls", commands.pinLs, async () => (await import("./IpfsPins.ts")).list).pipe(
  Command.withDescription("List pins"),
  Command.withExamples([
    {
      command: "plumbline ipfs pin ls --type recursive",
      description: "The pins that were requested, without the blocks below them"
    }
  ])
)

const pin = Command.make("pin").pipe(
  Command.withDescription("Pin content on a node, or unpin it. The result is CLAIMED, because only the node says so"),
  Command.withSubcommands([pinAdd, pinRm, pinLs])
)

const objectGet = CommandFactory.make(
  "get",
  commands.one,
  async () => (await import("./IpfsBlocks.ts")).objectGet
).pipe(
  Command.withDescription(
    "Read the links and the data of a dag-pb node; works with IPFS nodes that dropped this command, too"
  ),
  Command.withExamples([{ command: "plumbline ipfs object get Qmf412... --json", description: "With all its data" }])
)

/** The commands about dag-pb nodes. Files and directories are made of such nodes. */
const object = Command.make("object").pipe(
  Command.withDescription("Read the dag-pb nodes that files and directories are made of"),
  Command.withSubcommands([objectGet])
)

const blockGet = CommandFactory.make("get", commands.one, async () => (await import("./IpfsBlocks.ts")).blockGet).pipe(
  Command.withDescription("Prove a block, then write it to standard output"),
  Command.withExamples([{ command: "plumbline ipfs block get bafy... > block", description: "Its bytes as they are" }])
)

/** Single blocks, with any content. */
const block = Command.make("block").pipe(
  Command.withDescription("Read blocks of any format"),
  Command.withSubcommands([blockGet])
)

/**
 * The commands about IPFS. Each command loads its code when it runs, because the other commands do not use that code.
 */
export const ipfs = Command.make("ipfs").pipe(
  Command.withDescription("Add content to IPFS and read it; every block is checked against its CID"),
  Command.withSubcommands([add, cat, get, ls, pin, object, block])
)
