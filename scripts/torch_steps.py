"""A training step with PyTorch, as lacp does it: method exp, objective l_all, Adam. bench_peers.py measures it."""
import torch

HIDDEN = [100] * 5
ROWS = 4096
LEARNING_RATE = 1e-5


def random_batches(inputs, batch):
    generator = torch.Generator().manual_seed(7)
    X = torch.randn(ROWS, inputs, generator=generator)
    log_a = 2 * torch.randn(ROWS, generator=generator).abs().log()
    return list(zip(X.split(batch), log_a.split(batch)))


def make_network(inputs):
    torch.manual_seed(1)
    layers, width = [], inputs
    for hidden in HIDDEN:
        layers += [torch.nn.Linear(width, hidden), torch.nn.ReLU()]
        width = hidden
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))


def size_loss(g, log_a):
    """Mean over the pairs n != m of sqrt(A_n exp(g_n - g_m))."""
    pairs = (0.5 * ((log_a + g)[:, None] - g[None, :])).exp()
    return (pairs.sum() - pairs.diagonal().sum()) / (len(g) * (len(g) - 1))


class CleanStep:
    """As one writes it: nn.Sequential, autograd, optim.Adam."""

    def __init__(self, inputs):
        self.network = make_network(inputs)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE)

    def __call__(self, X, log_a):
        self.optimiser.zero_grad()
        loss = size_loss(self.network(X).squeeze(1), log_a)
        loss.backward()
        self.optimiser.step()
        return loss


class HandWrittenStep:
    """Without autograd: buffers that stay, the separable objective, parameters in one block, Adam on that block."""

    def __init__(self, inputs, batch):
        linear = [layer for layer in make_network(inputs) if isinstance(layer, torch.nn.Linear)]
        self.theta = torch.cat([p.detach().flatten() for layer in linear for p in (layer.weight, layer.bias)])
        self.gradient, self.mean, self.square, self.root = (torch.zeros_like(self.theta) for _ in range(4))
        self.layers, self.steps, offset = [], 0, 0
        for layer in linear:
            outputs, width = layer.weight.shape

            def views(block, at=offset, shape=(outputs, width)):
                end = at + shape[0] * shape[1]
                return block[at:end].view(shape), block[end:end + shape[0]]

            self.layers.append((*views(self.theta), *views(self.gradient),
                                torch.empty(batch, outputs), torch.empty(batch, outputs)))
            offset += (width + 1) * outputs

    def backward(self, X, log_a):
        H, activations = X, [X]
        for l, (W, b, _, _, output, _) in enumerate(self.layers):
            torch.addmm(b, H, W.t(), out=output)
            H = output.relu_() if l + 1 < len(self.layers) else output
            activations.append(H)
        g = H[:, 0]
        pairs = len(g) * (len(g) - 1)
        u, t = (0.5 * (log_a + g)).exp_(), (-0.5 * g).exp_()
        u_sum, t_sum = u.sum(), t.sum()
        both = u * t
        loss = (u_sum * t_sum - both.sum()) / pairs
        self.layers[-1][5][:, 0] = (u * t_sum - t * u_sum) * (0.5 / pairs)
        for l in range(len(self.layers) - 1, -1, -1):
            W, _, dW, db, _, delta = self.layers[l]
            torch.mm(delta.t(), activations[l], out=dW)
            torch.sum(delta, 0, out=db)
            if l > 0:
                below = self.layers[l - 1][5]
                torch.mm(delta, W, out=below)
                below.mul_(activations[l] > 0)
        return loss

    def adam(self):
        self.steps += 1
        bias1, bias2 = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        self.mean.mul_(0.9).add_(self.gradient, alpha=0.1)
        self.square.mul_(0.999).addcmul_(self.gradient, self.gradient, value=0.001)
        torch.sqrt(self.square, out=self.root).mul_(bias2**-0.5).add_(1e-8)
        self.theta.addcdiv_(self.mean, self.root, value=-LEARNING_RATE / bias1)

    @torch.no_grad()
    def __call__(self, X, log_a):
        loss = self.backward(X, log_a)
        self.adam()
        return loss


def check_hand_written(inputs, batch):
    """Both steps must compute the same thing, or their times compare nothing."""
    X, log_a = random_batches(inputs, batch)[0]
    clean, by_hand = CleanStep(inputs), HandWrittenStep(inputs, batch)
    for _ in range(3):
        losses = clean(X, log_a), by_hand(X, log_a)
    gradient = torch.cat([p.grad.flatten() for p in clean.network.parameters()])
    theta = torch.cat([p.detach().flatten() for p in clean.network.parameters()])
    torch.testing.assert_close(losses[0].detach(), losses[1])
    torch.testing.assert_close(gradient, by_hand.gradient, rtol=1e-3, atol=1e-6)
    # Where the gradient is rounding alone, as for the last bias, Adam's step has no meaning, only a size.
    known = gradient.abs() > 1e-5
    torch.testing.assert_close(theta[known], by_hand.theta[known], rtol=1e-4, atol=1e-6)
