// A separate disk that a test can fill, if the machine allows mounts.

import { execFileSync } from 'node:child_process'
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Reason for skipping a test of a full disk if `mount` returns undefined. */
export const NO_SMALL_DISK = 'this process cannot mount a disk, which requires root on Linux'

/** A mounted disk; `unmount` removes the disk with its content. */
export class SmallDisk {
  readonly path: string
  readonly #ballast: string

  private constructor(path: string) {
    this.path = path
    this.#ballast = join(path, 'ballast')
  }

  /**
   * Mounts a disk of this many MiB with the device name `postrider-full`; undefined if this process may not mount
   * disks.
   */
  static async mount(sizeMib: number): Promise<SmallDisk | undefined> {
    const path = await mkdtemp(join(tmpdir(), 'postrider-full-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'postrider-full', path], {
        stdio: 'pipe',
      })
      return new SmallDisk(path)
    } catch {
      await rm(path, { recursive: true })
      return undefined
    }
  }

  /** Fills the disk, except for `leftKib` KiB. */
  fill(leftKib = 0): void {
    const block = Buffer.alloc(65_536)
    try {
      for (;;) writeFileSync(this.#ballast, block, { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
    if (leftKib > 0) truncateSync(this.#ballast, statSync(this.#ballast).size - leftKib * 1024)
  }

  /** Removes the file that fills the disk. */
  empty(): void {
    rmSync(this.#ballast)
  }

  async unmount(): Promise<void> {
    execFileSync('umount', [this.path])
    await rm(this.path, { recursive: true })
  }
}
