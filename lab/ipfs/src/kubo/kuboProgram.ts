/** Finds the program of Kubo that the comparison runs: `--kubo <file>`, the variable KUBO, or `ipfs` on PATH. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** The version of Kubo to which the known differences apply. */
export const VERSION = "0.43.0"

/** The message that says how to install Kubo. */
export const HOW_TO_GET_IT = `Kubo ${VERSION} is not here. Build it from its sources, which takes some minutes with Go
(\`go install\` refuses it, because its manifest excludes versions of other modules):

  cp -r "$(go mod download -json github.com/ipfs/kubo@v${VERSION} | sed -n 's/.*"Dir": "\\(.*\\)",/\\1/p')" kubo
  chmod -R u+w kubo && cd kubo && go build -o ipfs ./cmd/ipfs

Then put the program on PATH, or name it: KUBO=./kubo/ipfs pnpm kubo, or pnpm kubo --kubo ./kubo/ipfs`

/** Returns the file of the program, or a sentence with the reason why there is none. */
export const find = async (
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): Promise<{ readonly file: string } | { readonly problem: string }> => {
  const flag = args.indexOf("--kubo")
  const named = flag === -1 ? env["KUBO"] : args[flag + 1]
  const file = named === undefined || named === "" ? "ipfs" : named
  const version = await versionOf(file)
  if (version === undefined) return { problem: HOW_TO_GET_IT }
  return version === VERSION ? { file } : { problem: `${file} is version ${version}. ${HOW_TO_GET_IT}` }
}

const versionOf = (file: string): Promise<string | undefined> =>
  promisify(execFile)(file, ["version", "--number"]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined
  )
