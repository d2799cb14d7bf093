/** The rule of every setting: it has a description, and a default that its Schema accepts. */
import { type Setting, SettingShape } from "@plumbline/gateway"
import { Result, Schema } from "effect"

/** Returns the names of the settings that break the rule. */
export const faults = (fields: Schema.Struct.Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) => {
    const usual = SettingShape.annotationOf(field.ast, "default")
    const setting = field as Setting.SettingsOf<unknown>
    const isDescribed =
      typeof SettingShape.annotationOf(field.ast, "description") === "string" &&
      SettingShape.at(field.ast, [])?.sentence !== "must be something else"
    const isAccepted = usual === undefined || Result.isSuccess(Schema.decodeUnknownResult(setting)(usual))
    return isDescribed && isAccepted ? [] : [name]
  })
