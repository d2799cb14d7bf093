/** `plumbline up` with a certificate: files that are relative to the configuration, and read again after SIGHUP. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import * as https from "node:https"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { TLSSocket } from "node:tls"

import * as Certificates from "@plumbline/gateway/support/certificates"
import { Redacted } from "effect"
import { describe, expect, it } from "vitest"

import * as Upped from "../../support/Upped.ts"

const peer = (url: string, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = https.get(`${url}/livez`, { ca, agent: false }, (response) => {
      response.resume()
      resolve(String((response.socket as TLSSocket).getPeerCertificate().subject.CN))
    })
    request.once("error", reject)
  })

/** Connections enough for each worker to get one. */
const CONNECTIONS = 12

describe.each([1, 2])("a service with a certificate (workers: %i)", (workers) => {
  const peers = async (url: string, ca: string): Promise<ReadonlyArray<string>> => {
    const names = await Promise.all(Array.from({ length: workers === 1 ? 1 : CONNECTIONS }, () => peer(url, ca)))
    return [...new Set(names)]
  }

  it("speaks HTTPS, and takes new files after SIGHUP", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-tls-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const write = ({ certificate, key }: Certificates.Certificate) =>
      Promise.all([
        writeFile(path.join(folder, "tls.crt"), certificate),
        writeFile(path.join(folder, "tls.key"), Redacted.value(key))
      ])
    const [first, second] = await Promise.all([Certificates.make("first"), Certificates.make("second")])
    const both = first.certificate + second.certificate
    await write(first)
    const file = path.join(folder, "plumbline.yaml")
    const text = "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\n"
    await writeFile(file, `${text}tls: { certificate: tls.crt, key: tls.key, minVersion: TLSv1.3 }\n`)
    const service = await Upped.start(path.join(folder, "data"), ["--config", file, "--workers", String(workers)])
    onTestFinished(async () => void (await service.stop()))
    const { url, wsUrl } = service.announcement
    expect([url, wsUrl]).toEqual([expect.stringMatching(/^https:/u), expect.stringMatching(/^wss:/u)])
    expect(await peers(url, both)).toEqual(["first"])

    await write({ ...second, key: first.key })
    process.kill(service.pid, "SIGHUP")
    await service.said("tls.key  cannot be used: the key is not that of the certificate")
    expect(await peers(url, both)).toEqual(["first"])

    await write(second)
    process.kill(service.pid, "SIGHUP")
    await service.said("the configuration was read again; no setting changed")
    expect(await peers(url, both)).toEqual(["second"])

    await writeFile(file, text)
    process.kill(service.pid, "SIGHUP")
    await service.said("this needs a restart: tls")
    expect(await peers(url, both)).toEqual(["second"])
  })
})
