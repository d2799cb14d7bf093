/** `metering`: the recording of usage, and the time for which it is kept. */
import * as Metering from "@plumbline/gateway/metering/Metering"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section `metering` of the configuration file. */
export const section = Setting.group(Metering.fields, "Recording of usage.")
