/** Rows about pins. Each row has different content, so that no row changes the result of another. */
import { linesOf } from "../askNode.ts"
import type { Given, Row } from "../comparedRow.ts"

interface Content {
  readonly root: string
  readonly leaf: string
}

const add = async ({ ask }: Given, text: string, options = "pin=false"): Promise<Content> => {
  const parts = [{ body: `kubo/pins/${text}`, name: "d/f" }]
  const [leaf, root] = linesOf((await ask(`add?raw-leaves=true&${options}`, { parts })).body)
  return { root: root.Hash, leaf: leaf.Hash }
}

/** Returns a row with several calls on the same content. The answers to every call are compared. */
const steps = (name: string, ...paths: ReadonlyArray<string>): Row => ({
  name,
  run: async (given) => {
    const one = await add(given, `${name}/one`)
    const two = await add(given, `${name}/two`)
    const seen: Array<unknown> = []
    for (const path of paths) {
      seen.push(
        await given.see(
          path
            .replaceAll("ROOT2", two.root)
            .replaceAll("LEAF2", two.leaf)
            .replaceAll("ROOT", one.root)
            .replaceAll("LEAF", one.leaf)
        )
      )
    }
    return seen
  }
})

export const rows: ReadonlyArray<Row> = [
  steps("pin/add and again", "pin/add?arg=ROOT", "pin/add?arg=ROOT", "pin/ls?arg=ROOT", "pin/ls?arg=LEAF"),
  steps("pin/add by a path", "pin/add?arg=/ipfs/ROOT/f", "pin/ls?arg=LEAF", "pin/ls?arg=ROOT"),
  steps(
    "pin/add direct",
    "pin/add?arg=ROOT&recursive=false",
    "pin/ls?arg=ROOT",
    "pin/ls?arg=LEAF",
    "pin/ls?arg=ROOT&type=direct"
  ),
  steps("pin/add direct, then recursive", "pin/add?arg=ROOT&recursive=false", "pin/add?arg=ROOT", "pin/ls?arg=ROOT"),
  steps("pin/add recursive, then direct", "pin/add?arg=ROOT", "pin/add?arg=ROOT&recursive=false", "pin/ls?arg=ROOT"),
  steps("pin/add of two", "pin/add?arg=ROOT&arg=ROOT2", "pin/ls?arg=ROOT&arg=ROOT2"),
  steps(
    "pin/add with a name",
    "pin/add?arg=ROOT&name=n",
    "pin/ls?arg=ROOT&names=true",
    "pin/ls?arg=ROOT",
    "pin/ls?name=n&names=true"
  ),
  steps(
    "pin/add with another name",
    "pin/add?arg=ROOT&name=n",
    "pin/add?arg=ROOT&name=m",
    "pin/ls?arg=ROOT&names=true"
  ),
  steps("pin/add with a name that is too long", `pin/add?arg=ROOT&name=${"x".repeat(256)}`),
  steps("pin/add with a progress", "pin/add?arg=ROOT&progress=true"),
  steps("pin/add of nonsense", "pin/add?arg=nonsense", "pin/add", "pin/add?arg=ROOT/none"),
  steps("pin/add with cid-base", "pin/add?arg=ROOT&cid-base=base32", "pin/ls?arg=ROOT&cid-base=base36"),
  steps("pin/rm", "pin/add?arg=ROOT", "pin/rm?arg=ROOT", "pin/ls?arg=ROOT", "pin/rm?arg=ROOT"),
  steps("pin/rm of what is below", "pin/add?arg=ROOT", "pin/rm?arg=LEAF", "pin/ls?arg=ROOT"),
  steps("pin/rm recursive=false", "pin/add?arg=ROOT", "pin/rm?arg=ROOT&recursive=false", "pin/ls?arg=ROOT"),
  steps("pin/rm of a direct one", "pin/add?arg=ROOT&recursive=false", "pin/rm?arg=ROOT", "pin/ls?arg=ROOT"),
  steps(
    "pin/rm of two, one of which is not pinned",
    "pin/add?arg=ROOT",
    "pin/rm?arg=ROOT&arg=ROOT2",
    "pin/ls?arg=ROOT"
  ),
  steps("pin/rm of nonsense", "pin/rm?arg=nonsense", "pin/rm"),
  steps(
    "pin/ls by type",
    "pin/add?arg=ROOT",
    "pin/ls?arg=ROOT&type=recursive",
    "pin/ls?arg=ROOT&type=direct",
    "pin/ls?arg=ROOT&type=indirect",
    "pin/ls?arg=LEAF&type=indirect",
    "pin/ls?arg=LEAF&type=recursive",
    "pin/ls?arg=LEAF&type=all"
  ),
  steps(
    "pin/ls of what is not pinned",
    "pin/ls?arg=ROOT",
    "pin/ls?arg=ROOT&type=direct",
    "pin/ls?arg=ROOT&type=indirect",
    "pin/ls?arg=/ipfs/ROOT/f",
    "pin/ls?arg=ROOT&stream=true"
  ),
  steps("pin/ls of nonsense", "pin/ls?arg=nonsense", "pin/ls?type=nonsense", "pin/ls?arg=ROOT/none"),
  steps(
    "pin/ls of two as a stream",
    "pin/add?arg=ROOT&arg=ROOT2",
    "pin/ls?arg=ROOT&arg=ROOT2&stream=true",
    "pin/ls?arg=LEAF&stream=true",
    "pin/ls?arg=ROOT&stream=true&names=true"
  ),
  steps("pin/ls quiet", "pin/add?arg=ROOT", "pin/ls?arg=ROOT&quiet=true"),
  steps("pin/ls of one that is pinned and one that is not", "pin/add?arg=ROOT", "pin/ls?arg=ROOT&arg=ROOT2"),
  steps(
    "pin/update",
    "pin/add?arg=ROOT&name=u",
    "pin/update?arg=ROOT&arg=ROOT2",
    "pin/ls?arg=ROOT2&names=true",
    "pin/ls?arg=ROOT"
  ),
  steps(
    "pin/update without unpin",
    "pin/add?arg=ROOT",
    "pin/update?arg=ROOT&arg=ROOT2&unpin=false",
    "pin/ls?arg=ROOT&arg=ROOT2"
  ),
  steps("pin/update of what is not pinned", "pin/update?arg=ROOT&arg=ROOT2", "pin/update?arg=ROOT", "pin/update"),
  steps("pin/update to the same", "pin/add?arg=ROOT", "pin/update?arg=ROOT&arg=ROOT", "pin/ls?arg=ROOT"),
  steps(
    "pin/update to what is not there",
    "pin/add?arg=ROOT",
    "pin/update?arg=ROOT&arg=bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq",
    "pin/ls?arg=ROOT"
  ),
  {
    name: "pin/ls of all, by what this comparison has pinned under a name",
    run: async (given) => {
      const { root } = await add(given, "all", "pin=true&pin-name=all-of-it")
      const seen = await given.see("pin/ls?name=all-of-it&names=true&type=recursive")
      await given.ask(`pin/rm?arg=${root}`)
      return seen
    }
  },
  {
    name: "add with a pin-name",
    run: async (given) => {
      const { leaf, root } = await add(given, "named", "pin-name=of-add")
      return [await given.see(`pin/ls?arg=${root}&names=true`), await given.see(`pin/ls?arg=${leaf}&names=true`)]
    }
  }
]
