/** First-in, first-out queue with removal of any item in constant time, unlike a Set after many removals. */
export interface Linked<Item> {
  previous: Item | null;
  next: Item | null;
}

export class LinkedQueue<Item extends Linked<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;

  get first(): Item | null {
    return this.#first;
  }

  push(item: Item): void {
    item.previous = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
  }

  remove(item: Item): void {
    if (item.previous === null) this.#first = item.next;
    else item.previous.next = item.next;
    if (item.next === null) this.#last = item.previous;
    else item.next.previous = item.previous;
    item.previous = item.next = null;
  }
}
