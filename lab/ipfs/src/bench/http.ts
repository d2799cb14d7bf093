/**
 * A minimal client, the same for all contenders: it sends one multipart body as fast as the server accepts it, and
 * reads one answer as it arrives.
 */
import { once } from "node:events"
import { Agent, type IncomingMessage, request } from "node:http"

import type { Endpoint } from "../suite/npmClients.ts"
import { type File, piece, pieces, PIECE } from "./benchContent.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
const BOUNDARY = "bench0123456789bench"

/** Adds files in one request, and returns the CID in the last line of the answer. */
export const add = async (endpoint: Endpoint, files: Iterable<File>): Promise<string> => {
  const upload = begin(endpoint, "add?progress=false", { "content-type": `multipart/form-data; boundary=${BOUNDARY}` })
  const answered = lastLine(upload.answer)
  for (const file of files) {
    const head = [
      `--${BOUNDARY}`,
      `content-disposition: form-data; name="file"; filename="${encodeURIComponent(file.path)}"`,
      "content-type: application/octet-stream"
    ]
    await upload.write(`${head.join("\r\n")}\r\n\r\n`)
    for (const piece of pieces(file)) await upload.write(piece)
    await upload.write("\r\n")
  }
  upload.end(`--${BOUNDARY}--\r\n`)
  const line: { readonly Hash?: string } = JSON.parse(await answered)
  if (line.Hash === undefined) throw new Error("nothing was added")
  return line.Hash
}

/** Reads a file, and compares every byte of it. */
export const cat = async (endpoint: Endpoint, cid: string, { file, size }: File): Promise<void> => {
  const download = begin(endpoint, `cat?arg=${cid}`, {})
  download.end()
  let offset = 0
  let expected = piece(file, 0)
  for await (const chunk of (await download.answer) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      const within = offset % PIECE
      if (within === 0) expected = piece(file, offset / PIECE)
      const length = Math.min(PIECE - within, chunk.length - at)
      if (chunk.compare(expected, within, within + length, at, at + length) !== 0) throw new Error("other bytes")
      offset += length
      at += length
    }
  }
  if (offset !== size) throw new Error(`${offset} of ${size} bytes`)
}

const begin = ({ headers, url }: Endpoint, command: string, more: Readonly<Record<string, string>>) => {
  const call = request(`${url}/api/v0/${command}`, { method: "POST", agent, headers: { ...headers, ...more } })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    call.once("response", (response) =>
      response.statusCode === 200 ? resolve(response) : reject(new Error(`status ${response.statusCode}`))
    )
    call.once("error", reject)
  })
  return {
    answer,
    write: async (bytes: string | Uint8Array): Promise<void> => {
      if (!call.write(bytes)) await once(call, "drain")
    },
    end: (bytes?: string) => void call.end(bytes)
  }
}

/** Returns the last line of an answer. Drops the other lines as they arrive. */
const lastLine = async (answer: Promise<IncomingMessage>): Promise<string> => {
  let rest = ""
  for await (const chunk of (await answer) as AsyncIterable<Buffer>) {
    rest += chunk.toString("latin1")
    const end = rest.trimEnd().lastIndexOf("\n")
    if (end > 0) rest = rest.slice(end + 1)
  }
  return rest
}
