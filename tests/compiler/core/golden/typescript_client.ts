// Typed client of Shop 1.0. Written by Fairway from the routes: do not edit.
// An enumeration holds the texts that this version knows; a later version may send others.

/** What `createOrder` takes. */
export interface CreateOrderInput {
  body: NewOrder;
}

/**
 * What `listOrders` takes.
 * @deprecated
 */
export interface ListOrdersInput {
  query?: {
    /** Those in this state */
    status?: "open" | "paid";
  };
}

/** What `readFile` takes. */
export interface ReadFileInput {
  path: {
    path: string;
  };
}

/** What `readFile` gives; the status tells which. */
export type ReadFileResult =
  | { status: 200; data: Blob }
  | { status: 204; data: undefined };

export interface NewOrder {
  note?: string;
}

/** An order as it is kept */
export interface Order {
  id: number;
  parent?: Order;
}

/**
 * Shop 1.0
 *
 * Each method gives the data of a success, and throws a
 * ValidationFailure, an ApiError or a TransportError.
 */
export class ShopClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  /**
   * Place an order
   *
   * `POST /orders`, with a token
   */
  createOrder(input: CreateOrderInput, options?: RequestOptions): Promise<Order> {
    const operation: Operation = {
      method: "POST",
      path: "/orders",
      reads: "data",
    };
    return this.#transport.send(operation, input, options);
  }

  /**
   * `GET /orders`
   * @deprecated
   */
  listOrders(input: ListOrdersInput = {}, options?: RequestOptions): Promise<Order[]> {
    const operation: Operation = {
      method: "GET",
      path: "/orders",
      reads: "data",
    };
    return this.#transport.send(operation, input, options);
  }

  /** `GET /files/{path}` */
  readFile(input: ReadFileInput, options?: RequestOptions): Promise<ReadFileResult> {
    const operation: Operation = {
      method: "GET",
      path: "/files/{+path}",
      reads: { "200": "blob", "204": "nothing" },
    };
    return this.#transport.send(operation, input, options);
  }
}

