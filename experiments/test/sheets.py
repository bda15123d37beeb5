"""Tables as spreadsheets have them."""
from program import drawn, frame


def homes(n, seed, units=False):
    """Homes: area, region, weight and price. `units`: the numbers as a sheet shows them."""
    def home(i, draws):
        area, load = draws.randrange(1000, 3000), draws.randrange(10, 300) / 10
        price = round(100 * area + 500 * load + 3000 * draws.gauss(0, 1))
        return f'"{area:,} sq ft",R{i % 3},{load} kg,{price}' if units else f"{area},R{i % 3},{load},{price}"
    return drawn("area,region,load,price", n, home, seed)


def shops(n, seed, total="", note=""):
    """Shops with a name, and at the end, if asked for, what reports have there."""
    def shop(i, draws):
        staff, area = draws.randrange(2, 22), draws.randint(50, 500)
        return f"shop {i},R{i % 4},{staff},{area},{round(900 * staff + 20 * area + 1500 * draws.gauss(0, 1))}"
    text = drawn("name,region,staff,area,sales", n, shop, seed)
    if total:
        staff, sales = (sum(int(row[name]) for row in frame(text)) for name in ["staff", "sales"])
        text += f"{total},,{staff},,{sales}\n"
    return text + note


def intervals_of(place, table, of=None):
    """The intervals that a fit of this table gives for other homes."""
    place.fit_fixed(table, "--target", "price")
    place.predict(place.write("of.csv", of or homes(20, 9)))
    return place.read("out.csv")
