// How many pages of this browser have a stream open. Over HTTP/1.1 a browser opens six connections to a host,
// and a stream keeps one: with six streams the next page would never load.

const MOST = 4; // streams; two connections are left for pages
const CHANNEL = "maumau-streams";

export class Crowd {
  // changed: called when streams were opened or closed elsewhere.
  constructor(changed) {
    this.id = `${Date.now()}-${Math.random()}`;
    this.newer = new Set(); // pages whose streams were opened after this page's
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data }) => {
      if (data.opened) this.newer.add(data.opened);
      else this.newer.delete(data.closed);
      changed();
    };
  }
  open() {
    this.newer.clear();
    this.channel.postMessage({ opened: this.id });
  }
  close() {
    this.channel.postMessage({ closed: this.id });
  }
  leave() {
    this.close();
    this.channel.close();
  }
  isFull() {
    return this.newer.size >= MOST;
  }
}
