/** Flushes folders to the disk. */
import * as Fs from "node:fs/promises"

/** Flushes the names in a folder to the disk. Windows flushes names itself, and cannot open a folder. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === "win32") return
  const handle = await Fs.open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
