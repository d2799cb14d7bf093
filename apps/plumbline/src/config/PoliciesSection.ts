/** `policies`: the conditions for using a product at all. */
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section `policies` of the configuration file. */
export const section = Setting.group(
  { card: Setting.group(AccessPolicy.fields, "Products that an account without a billing card cannot use.") },
  "Conditions for using a product at all."
)
