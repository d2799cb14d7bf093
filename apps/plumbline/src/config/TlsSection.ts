/** `tls`: the certificate of the service's port. */
import * as GatewayTls from "@plumbline/gateway/http/Tls"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section `tls` of the configuration file: the files, and the oldest version. */
export const section = Setting.struct(
  {
    certificate: Setting.text({
      description: "File of the certificate and the intermediate certificates, as PEM; relative to this file."
    }),
    key: Setting.text({ description: "File of the certificate's key, as PEM; relative to this file." }),
    minVersion: GatewayTls.minVersion
  },
  "Certificate of the service's port: HTTPS and secure WebSockets. Changed files are read again within 10 seconds."
)
