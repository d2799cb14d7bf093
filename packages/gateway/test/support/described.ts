/** The test of every setting: it has a description, and a default that its Schema accepts. */
import { assert } from "@effect/vitest"
import { type Setting, SettingShape } from "@plumbline/gateway"
import { Result, Schema } from "effect"

export const check = (fields: Schema.Struct.Fields): void => {
  for (const [name, field] of Object.entries(fields)) {
    assert.isString(SettingShape.annotationOf(field.ast, "description"), name)
    assert.notStrictEqual(SettingShape.at(field.ast, [])?.sentence, "must be something else", name)
    const usual = SettingShape.annotationOf(field.ast, "default")
    const setting = field as Setting.SettingsOf<unknown>
    if (usual !== undefined) assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(setting)(usual)), name)
  }
}
