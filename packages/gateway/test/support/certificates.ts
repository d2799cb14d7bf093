/** Certificates of a test, made by openssl. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import { Redacted } from "effect"

export interface Certificate {
  readonly certificate: string
  readonly key: Redacted.Redacted
}

/** Makes a self-signed certificate for localhost. It has the given name, and is valid for `days` days. */
export const make = async (name: string, days = 1): Promise<Certificate> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-tls-"))
  try {
    const [key, certificate] = [path.join(folder, "key.pem"), path.join(folder, "certificate.pem")]
    const kind = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${name}`
    const own = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate]
    await promisify(execFile)("openssl", [...kind.split(" "), ...own])
    return {
      certificate: await readFile(certificate, "utf8"),
      key: Redacted.make(await readFile(key, "utf8"))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
