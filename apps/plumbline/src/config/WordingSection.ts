/** `wording`: the words of refusals over a limit. */
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section `wording` of the configuration file. */
export const section = Setting.group(LimitExceeded.fields, "Wording of refusals over a limit.")
