/** `tls`: the certificate of the service's port. */
import * as GatewayTls from "@plumbline/gateway/http/Tls"

import * as Kinds from "./Kinds.ts"

const { group, may, text, word } = Kinds

const { minVersion: VERSION } = GatewayTls.defaults

/** The section `tls` of the configuration file. */
export const section = group(
  {
    certificate: text({
      description: "File of the certificate and the intermediate certificates, as PEM; relative to this file."
    }),
    key: text({ description: "File of the certificate's key, as PEM; relative to this file." }),
    minVersion: may(
      word(["TLSv1.2", "TLSv1.3"], { description: "The oldest version that clients may speak.", default: VERSION })
    )
  },
  "Certificate of the service's port: HTTPS and secure WebSockets. Changed files are read again within 10 seconds."
)

/** The settings of the section, as the file gives them. */
export type Section = typeof section.Type

/** The settings of the service: the files, and the oldest version. */
export interface Settings {
  readonly certificate: string
  readonly key: string
  readonly minVersion: GatewayTls.Version
}

/** Returns the section as settings. */
export const settings = (section: Section | undefined): Settings | undefined =>
  section === undefined ? undefined : { ...section, minVersion: section.minVersion ?? VERSION }
