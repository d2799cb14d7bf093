/**
 * Writes a command as programs that work when they are pasted beside the files that they send. They never contain a
 * key.
 */
import { kubo, pairOf, type Program, quoted, shell, YOUR_KEY, YOUR_SECRET } from "../programs/ProgramParts.ts"
import { all, type CommandQuestion } from "./CommandForms.ts"
import { camel } from "./RunCommand.ts"

/** A question with the names of its files. */
export interface SentCommand extends CommandQuestion {
  readonly files: ReadonlyArray<string>
}

/**
 * Returns the programs for a question to the service at an origin. One of the programs uses kubo-rpc-client, if that
 * library has the call.
 */
export const of = (sent: SentCommand, origin: string): ReadonlyArray<Program> => {
  // without a chosen file, the program uses this placeholder name, and runs as soon as such a file exists
  const hasUpload = all.some(({ name, upload }) => name === sent.name && upload !== undefined)
  const whole = hasUpload && sent.files.length === 0 ? { ...sent, files: ["hello.txt"] } : sent
  const call = callOfKubo(whole)
  return [
    { name: "curl", text: curl(whole, origin) },
    ...(call === undefined ? [] : [ofKubo(whole, call, origin)]),
    { name: "Plumbline", text: plumbline(whole, origin) }
  ]
}

/**
 * The options that our client sets by itself. The program for curl sets them too, so that it gets the page's answer.
 */
const SET: Readonly<Record<string, CommandQuestion["options"]>> = {
  "object/get": { "data-encoding": "base64" },
  "object/put": { inputenc: "protobuf" }
}

const curl = ({ args, files, name, options }: SentCommand, origin: string): string => {
  const query = new URLSearchParams([
    ...args.map((arg) => ["arg", arg] as [string, string]),
    ...Object.entries({ ...SET[name], ...options }).map(
      ([option, value]) => [option, String(value)] as [string, string]
    )
  ]).toString()
  return shell(
    `curl --silent --show-error --fail-with-body --user '${pairOf()}' --request POST`,
    ...files.map((file) => `--form ${quoted(`file=@${JSON.stringify(file)}`)}`),
    // without --output, curl refuses to print binary data
    `--output - ${quoted(`${origin}/api/v0/${name}${query === "" ? "" : `?${query}`}`)}`
  )
}

/** Writes a value as JavaScript, on one line. */
const js = (value: unknown): string => JSON.stringify(value)

const optionsOf = (options: CommandQuestion["options"], more: Readonly<Record<string, string>> = {}): string => {
  const members = [
    ...Object.entries(options).map(([name, value]) => `${camel(name)}: ${js(value)}`),
    ...Object.entries(more).map(([name, code]) => `${name}: ${code}`)
  ]
  return members.length === 0 ? "" : `{ ${members.join(", ")} }`
}

const listed = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(", ")

const entry = (file: string): string => `{ path: ${js(file)}, content: await readFile(${js(file)}) }`

/** A call, and the kind of its answer. */
interface Call {
  readonly code: string
  readonly answer: "json" | "lines" | "bytes" | "stream"
}

/** Returns the equivalent call of kubo-rpc-client, or undefined if there is none. */
const callOfKubo = ({ args, files, name, options }: SentCommand): Call | undefined => {
  const [first = "", second = "", ...more] = args
  const given = optionsOf(options)
  const hasOptions = given !== ""
  const one = (code: string, answer: Call["answer"]): Call | undefined =>
    second === "" && more.length === 0 ? { code, answer } : undefined
  const on = (method: string): string => `ipfs.${method}(${listed([js(first), given])})`
  const file = files.length === 1 ? `await readFile(${js(files[0])})` : undefined
  switch (name) {
    case "add":
      return files.length === 1
        ? { code: `await ipfs.add(${listed([entry(files[0]!), given])})`, answer: "json" }
        : { code: `ipfs.addAll(${listed([`[${files.map(entry).join(", ")}]`, given])})`, answer: "lines" }
    case "cat":
    case "get":
      return one(on(name), "stream")
    case "ls":
      return one(on("ls"), "lines")
    case "files/stat":
      return { code: `await ${on("files.stat")}`, answer: "json" }
    case "block/get":
      return { code: `await ${on("block.get")}`, answer: "bytes" }
    case "block/stat":
      return { code: `await ${on("block.stat")}`, answer: "json" }
    case "block/put":
      return file === undefined ? undefined : { code: `await ipfs.block.put(${listed([file, given])})`, answer: "json" }
    case "dag/get":
      // dag.get of kubo-rpc-client reads one block, and does not follow a path
      return hasOptions || first.includes("/")
        ? undefined
        : { code: `await ipfs.dag.get(CID.parse(${js(first)}))`, answer: "json" }
    case "dag/put": {
      const codecs = { "input-codec": "dag-json", "store-codec": "dag-cbor", ...options }
      const { hash, ...others } = codecs as CommandQuestion["options"]
      const hashed: Readonly<Record<string, string>> = hash === undefined ? {} : { hashAlg: js(hash) }
      return file === undefined
        ? undefined
        : { code: `await ipfs.dag.put(${listed([file, optionsOf(others, hashed)])})`, answer: "json" }
    }
    case "dag/resolve":
      return { code: `await ${on("dag.resolve")}`, answer: "json" }
    case "dag/export":
      return hasOptions ? undefined : { code: `ipfs.dag.export(CID.parse(${js(first)}))`, answer: "stream" }
    case "dag/import":
      return file === undefined || Object.keys(options).some((option) => option !== "pin-roots")
        ? undefined
        : { code: `ipfs.dag.import(${listed([`[${file}]`, given])})`, answer: "lines" }
    case "pin/add":
    case "pin/rm":
      return one(`await ${on(name.replace("/", "."))}`, "json")
    case "pin/ls":
      return {
        code: `ipfs.pin.ls(${optionsOf(options, args.length === 0 ? {} : { paths: js(args) })})`,
        answer: "lines"
      }
    case "pin/update":
      return { code: `await ipfs.pin.update(${listed([js(first), js(second), given])})`, answer: "json" }
    case "id":
      return { code: `await ipfs.id(${optionsOf(options, first === "" ? {} : { peerId: js(first) })})`, answer: "json" }
    case "version":
      return { code: `await ipfs.version(${given})`, answer: "json" }
    default:
      // Kubo has removed the object API, and kubo-rpc-client has removed it too
      return undefined
  }
}

/** Returns the lines that print an answer. */
const printed = ({ answer, code }: Call): string => {
  switch (answer) {
    case "json":
      return `const answer = ${code}\nconsole.log(JSON.stringify(answer))`
    case "bytes":
      return `const answer = ${code}\nprocess.stdout.write(answer)`
    case "lines":
      return `for await (const answer of ${code}) {\n  console.log(JSON.stringify(answer))\n}`
    case "stream":
      return `for await (const piece of ${code}) {\n  process.stdout.write(piece)\n}`
  }
}

const READ_FILE = `import { readFile } from "node:fs/promises"\n\n`

const ofKubo = ({ files }: SentCommand, call: Call, origin: string): Program => {
  const { name, text } = kubo(origin, printed(call), pairOf(), ...(call.code.includes("CID.") ? ["CID"] : []))
  return { name, text: `${files.length === 0 ? "" : READ_FILE}${text}` }
}

/** Returns the call of our own client: an Effect that gives a value or bytes. */
const callOfOurs = ({
  args,
  files,
  name,
  options
}: SentCommand): { readonly code: string; readonly isBytes: boolean } => {
  const [first = "", second = ""] = args
  const given = optionsOf(options)
  const method = name.replaceAll(/\/([a-z])/gu, (_, letter: string) => letter.toUpperCase())
  const on = (...inputs: ReadonlyArray<string>): string => `ipfs.${method}(${listed([...inputs, given])})`
  const values = (code: string) => ({ code: `Stream.runCollect(${code})`, isBytes: false })
  const bytes = (code: string) => ({ code: `Stream.mkUint8Array(${code})`, isBytes: true })
  const each = (code: (path: string) => string): string =>
    args.length === 1 ? code(js(first)) : `Stream.flatMap(Stream.fromIterable(${js(args)}), (path) => ${code("path")})`
  const path = args.length === 1 ? js(first) : js(args)
  const file = `await readFile(${js(files[0])})`
  switch (name) {
    case "add":
      return { code: on(files.length === 1 ? entry(files[0]!) : `[${files.map(entry).join(", ")}]`), isBytes: false }
    case "cat":
      return bytes(each((path) => on(path)))
    case "ls":
      return values(each((path) => on(path)))
    case "get":
    case "dag/export":
      return bytes(on(js(first)))
    case "block/get":
    case "dag/get":
    case "object/data":
      return { code: on(js(first)), isBytes: true }
    case "block/put":
    case "dag/put":
    case "object/put":
      return { code: on(file), isBytes: false }
    case "dag/import":
      return values(on(file))
    case "pin/add":
    case "pin/rm":
      return { code: on(path), isBytes: false }
    case "pin/ls":
      return values(`ipfs.pinLs(${optionsOf(options, args.length === 0 ? {} : { paths: js(args) })})`)
    case "pin/update":
      return { code: on(js(first), js(second)), isBytes: false }
    case "version":
      return { code: on(), isBytes: false }
    case "id":
      return { code: on(first === "" ? (given === "" ? "" : "undefined") : js(first)), isBytes: false }
    default:
      return { code: on(js(first)), isBytes: false }
  }
}

/** Returns a program that checks the answer with the packages of this repository. */
const plumbline = (sent: SentCommand, origin: string): string => {
  const { code, isBytes } = callOfOurs(sent)
  const isAsync = code.includes("await ")
  // a file is read before the call, because the function of the call is not async
  const lines = isAsync ? code.replaceAll(/await readFile\(("(?:[^"\\]|\\.)*")\)/gu, "files[$1]") : code
  const files = sent.files.map((file) => `  ${js(file)}: await readFile(${js(file)})`)
  return `${sent.files.length === 0 ? "" : READ_FILE}import { IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, Redacted${code.includes("Stream.") ? ", Stream" : ""} } from "effect"

const service = IpfsClient.layerFetch({
  url: "${origin}",
  apiKey: "${YOUR_KEY}",
  apiKeySecret: Redacted.make("${YOUR_SECRET}")
})
// this layer checks each answer by its CID
const proven = ProvenIpfsClient.layer().pipe(Layer.provide(service))
${files.length === 0 ? "" : `const files = {\n${files.join(",\n")}\n}\n`}
const ask = IpfsClient.IpfsClient.use((ipfs) =>
  ${lines}
)
const answer = await Effect.runPromise(Effect.provide(ask, proven))
${isBytes ? "process.stdout.write(answer)" : "console.log(JSON.stringify(answer))"}`
}
