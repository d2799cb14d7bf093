/**
 * A child process that never outlives its parent, not even a parent that is killed by SIGKILL.
 *
 * On POSIX the program is started by `sh`, which first puts a watcher into the background and then becomes the program
 * itself (`exec`), so the pid, the exit code and the signal are the program's own. The watcher sleeps in `read` on a pipe
 * whose other end only this process holds. When this process dies, however it dies, the kernel closes that end, `read`
 * fails and the watcher kills the program. When the program ends first, we send the watcher a line, and it leaves without
 * touching a pid that may have become somebody else's. No `cat`, no polling, and no moment without a watcher: it is there
 * before the program is.
 *
 * node:child_process and not effect/process: the latter gives no signal of a killed child, takes a process group for a
 * tree of processes and waits for one, where here is exactly one process to end, and needs a layer of platform services.
 *
 * The watcher outlives the program by a moment, so the init of the machine has to collect it. A container whose first
 * process collects nothing (Node itself, without `docker run --init`) keeps an entry in its process table for each.
 *
 * Windows has no `sh`: there a parent that is killed leaves its child running.
 */
import * as ChildProcess from "node:child_process"
import { parse } from "node:path"
import type { Writable } from "node:stream"

import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How a process ended: one of the two is null. */
export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last characters of its standard error, at most `STDERR_TAIL` of them. */
  readonly stderr: string
}

export interface OwnedProcess {
  readonly pid: number
  /** Waits until the process is gone and its watcher lets go of the pipe, the last thing that it does. */
  readonly exited: Effect.Effect<Exit>
}

export interface Options {
  /** An absolute path. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Called with each piece of standard output, which is kept nowhere else. */
  readonly onStdout: (text: string) => void
}

/** In characters. */
export const STDERR_TAIL = 4096

export const SHELL = "/bin/sh"

/** From SIGTERM to SIGKILL, in milliseconds. */
const GRACE = 2000

/**
 * Starts a process that ends with the scope: by SIGTERM, and two seconds later by SIGKILL.
 *
 * Fails if the operating system cannot start it. A program that cannot be executed is no such failure on POSIX: the
 * shell is there, and exits with 126 or 127.
 */
export const spawn = (options: Options): Effect.Effect<OwnedProcess, Error, Scope.Scope> =>
  Effect.acquireRelease(start(options), (running) => running.stop)

interface Running extends OwnedProcess {
  readonly stop: Effect.Effect<void>
}

// "$$" is the pid of the shell also in its subshells, and the shell becomes the program.
const script = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

const start = (options: Options): Effect.Effect<Running, Error> =>
  Effect.callback((resume) => {
    const posix = process.platform !== "win32"
    const exited = Deferred.makeUnsafe<Exit>()
    let stderr = ""

    const child = ChildProcess.spawn(
      posix ? SHELL : options.command,
      posix ? ["-c", script, options.command, ...options.args] : options.args,
      {
        // Nothing of our environment is the child's business, and no .env of the working folder either.
        env: posix ? {} : { SystemRoot: process.env["SystemRoot"] },
        cwd: parse(options.command).root,
        // A session of its own: Ctrl-C in the terminal reaches us alone, and we end the child in our own order.
        detached: posix,
        windowsHide: true,
        stdio: posix ? ["ignore", "pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe"]
      }
    )
    const watcher = child.stdio[3] as Writable | undefined
    // A watcher that is gone has nothing left to do.
    watcher?.on("error", () => {})

    child.stdout?.setEncoding("utf8").on("data", options.onStdout)
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    child.once("exit", () => watcher?.end("\n"))
    child.once("close", (exitCode, signal) => {
      Deferred.doneUnsafe(exited, Effect.succeed({ exitCode, signal, stderr }))
    })
    child.on("error", (error) => resume(Effect.fail(error)))
    child.once("spawn", () => {
      resume(Effect.succeed({ pid: child.pid!, exited: Deferred.await(exited), stop: stop(child, exited) }))
    })
  })

/** The time is the platform's and not the Clock's: under a test clock a child must end all the same. */
const stop = (child: ChildProcess.ChildProcess, exited: Deferred.Deferred<Exit>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const force = setTimeout(() => child.kill("SIGKILL"), GRACE)
    child.kill("SIGTERM")
    return Effect.andThen(
      Deferred.await(exited),
      Effect.sync(() => clearTimeout(force))
    )
  })
