// The ids by which an event is known that is published again.
import type { Epoch } from "../event/event.js";

/** Ids by which duplicates are recognized (R3). */
const IDS_KEPT = 65_536;

/** The epochs of the newest ids. */
export class NewestIds {
  // Maps hold places, which are small numbers and no objects: a map that grows keeps all objects of its old table alive until a full garbage
  // collection.
  private readonly places = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly epochs: Epoch[] = [];
  private next = 0;

  add(id: string, epoch: Epoch): void {
    const oldest = this.ids[this.next];
    if (oldest !== undefined && this.places.get(oldest) === this.next) this.places.delete(oldest);
    this.ids[this.next] = id;
    this.epochs[this.next] = epoch;
    this.places.set(id, this.next);
    this.next = (this.next + 1) % IDS_KEPT;
  }

  epochOf(id: string): Epoch | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.epochs[place];
  }
}
