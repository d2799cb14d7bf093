/** Checks that the service gives the same answers over https and wss. */
import { request } from "node:https"
import { isDeepStrictEqual } from "node:util"

import { HistoryChain } from "@plumbline/devnet"
import { Effect } from "effect"
import { WebSocket } from "ws"

import * as Ask from "../ask.ts"
import { authorization, baseUrl, rpcUrl, socketUrl, type Target } from "../target.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"

const body = Ask.call("eth_getBlockByHash", [HistoryChain.head.hash, true])

/** Sends the same calls with and without TLS. The TLS client checks the certificate and its host. */
export const same = ({ secure: { certificate, port }, target }: Cluster) =>
  Effect.promise(async (): Promise<Finding> => {
    const secure: Target = { ...target, port }
    const credentials = { authorization: authorization(target.projects.open) }
    const plain = [
      (await Ask.http(rpcUrl(target, "history"), { headers: Ask.JSON_TYPE, body })).text,
      ...(await Ask.overSocket(target, "history", body)),
      (await Ask.http(`${baseUrl(target)}/api/v0/version`, { headers: credentials })).text
    ]
    const encrypted = [
      await post(rpcUrl(secure, "history"), certificate, { ...Ask.JSON_TYPE }, body),
      await message(socketUrl(secure, "history"), certificate),
      await post(`${baseUrl(secure)}/api/v0/version`, certificate, credentials, "")
    ]
    const isBlock = JSON.parse(plain[0]!).result.hash === HistoryChain.head.hash
    return {
      claim: "over https and wss the answers are the same",
      measured: plain
        .map((text, index) => (text === encrypted[index] ? `${text.length} characters alike` : "not alike"))
        .join(", "),
      holds: isBlock && isDeepStrictEqual(encrypted, plain)
    }
  })

const post = (url: string, ca: string, headers: Readonly<Record<string, string>>, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url.replace(/^http:/u, "https:"),
      { method: "POST", ca, headers, agent: false },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece
        })
        response.on("error", reject)
        response.on("end", () => resolve(text))
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

const message = (url: string, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^ws:/u, "wss:"), { ca })
    socket.on("error", reject)
    socket.on("open", () => socket.send(body))
    socket.on("message", (data) => {
      resolve((data as Buffer).toString("utf8"))
      socket.terminate()
    })
  })
