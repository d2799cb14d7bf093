/** The settings of the admin API. They stand apart from the server, so that a check of a configuration does not load it. */
import * as Setting from "@plumbline/gateway/schema/Setting"

const isOrigin = (text: string): boolean =>
  /^https?:\/\//u.test(text) && URL.canParse(text) && new URL(text).origin === text

/** The settings of the server. */
export const fields = {
  allowedOrigins: Setting.defaulted(
    Setting.array(
      Setting.textThat(isOrigin, "must be an origin such as https://console.example", {
        description: "An origin such as https://console.example, in lower case."
      }),
      { description: "Origins of pages that may call the admin API.", default: [] }
    )
  ),
  sessionLifetime: Setting.defaulted(
    Setting.duration({
      description: "Time after which a page's session ends.",
      default: "12h",
      least: 60_000,
      most: 30 * 86_400_000
    })
  )
}
